/** Redis and Valkey as a key/value store, on one server or a cluster. */
import {
  type KeyValueStore,
  MAX_RECORDS,
  type StoredText,
  type TogetherAnswer,
  type WantedKeys,
} from "../key-value-store.js";
import { replaceAtOnce, replaceOneByOne, scan } from "./redis-replace.js";
import {
  refusalCode,
  toList,
  toText,
  type Command,
  type RedisLink,
  sendOne,
  type Connection,
} from "./redis-link.js";
import { hasHashTag } from "./redis-slots.js";
import { noData, SECTION_NAMES } from "../kvstore-layout.js";

export function createRedisStore(link: RedisLink): KeyValueStore {
  const { sentPrefix, isCluster } = link;
  const runScript = createScriptReader(link);
  return {
    get name() {
      return link.name;
    },
    async texts(keys) {
      if (keys.length === 0) return [];
      const sent = keys.map((key) => sentPrefix + key);
      // In a cluster the keys of one command must be in one slot.
      if (isCluster)
        return (
          await ask(
            link,
            sent.map((key) => ["GET", key]),
          )
        ).map(toText);
      const [reply] = await ask(link, [["MGET", ...sent]]);
      return toList(reply).map(toText);
    },
    async sets(keys) {
      const replies = await ask(
        link,
        keys.map((key) => ["SMEMBERS", sentPrefix + key]),
      );
      return replies.map((reply) => toList(reply).map((member) => toText(member) ?? ""));
    },
    async fields(hashes) {
      const replies = await ask(
        link,
        hashes.map(({ key, fields }) => ["HMGET", sentPrefix + key, ...fields]),
      );
      return replies.map((reply) => toList(reply).map(toText));
    },
    whyIncomplete: (start) => whyIncomplete(link, start),
    async together(start, wanted) {
      return isOneServer(link, start) ? runScript(sentPrefix + start, wanted) : undefined;
    },
    replace: (dataSet, signal) =>
      isOneServer(link, dataSet.start)
        ? replaceAtOnce(link, dataSet, signal)
        : replaceOneByOne(link, dataSet, signal),
  };
}

/** Whether one server has all keys that begin with a text: outside a cluster, or with a hash tag such as {cty}. */
function isOneServer({ isCluster, storedPrefix }: RedisLink, start: string): boolean {
  return !isCluster || hasHashTag(storedPrefix + start);
}

/** Replies to read commands. A key of another type counts as missing. */
async function ask(link: RedisLink, commands: readonly Command[]): Promise<unknown[]> {
  const replies = await link.send(commands);
  return replies.map((reply) => {
    if (!(reply instanceof Error)) return reply;
    if (refusalCode(reply) === "WRONGTYPE") return undefined;
    throw reply;
  });
}

/** Steps of SCAN after which the keys are assumed to exist. */
const MAX_STEPS = 50;

/** The reason why keys that begin with a text may be missing; `undefined` without evidence. */
async function whyIncomplete(link: RedisLink, start: string): Promise<string | undefined> {
  const nodes = await link.masters();
  const stored = link.storedPrefix + start;
  const evictions = await Promise.all(nodes.map((node) => evictedKeys(node).catch(() => 0)));
  const evicted = evictions.reduce((sum, count) => sum + count, 0);
  if (evicted > 0) return `the server has evicted ${evicted} keys, some of which may belong to the data set`;
  const findings = await Promise.all(nodes.map((node) => hasNoKey(node, stored).catch(() => false)));
  return findings.every(Boolean) ? noData(start) : undefined;
}

/** The number of evicted keys under an allkeys policy; other policies spare data sets, whose keys never expire. */
async function evictedKeys(connection: Connection): Promise<number> {
  const text = toText(await sendOne(connection, ["INFO", "everything"])) ?? "";
  const evictsAny = /^maxmemory_policy:allkeys-/m.test(text);
  return evictsAny ? Number(/^evicted_keys:(\d+)/m.exec(text)?.[1] ?? 0) : 0;
}

async function hasNoKey(connection: Connection, start: string): Promise<boolean> {
  let steps = 0;
  for await (const keys of scan(connection, start)) {
    if (keys.length > 0 || ++steps === MAX_STEPS) return false;
  }
  return true;
}

/**
 * KEYS[1] is the beginning of the data set's keys. ARGV: for each section its name, the number of keys, the keys.
 * Returns the generation; then for each key the number of its records, and number and text of each.
 *
 * The script computes keys from what it reads, which servers permit outside a cluster, or if all keys are in one slot.
 */
const SCRIPT = `
local start = KEYS[1]
local reply = { redis.call('MGET', start .. 'generation')[1] }
local count = 1
local at = 1
while at < #ARGV do
  local section = start .. ARGV[at] .. '_'
  local index = section .. 'index_'
  local last = at + 1 + ARGV[at + 1]
  for place = at + 2, last do
    local ids = redis.pcall('SMEMBERS', index .. ARGV[place])
    if ids.err then ids = {} end
    count = count + 1
    reply[count] = #ids
    if #ids > 0 and #ids <= ${MAX_RECORDS} then
      local keys = {}
      for number, id in ipairs(ids) do keys[number] = section .. id end
      local texts = redis.call('MGET', unpack(keys))
      for number, id in ipairs(ids) do
        reply[count + 1] = id
        reply[count + 2] = texts[number]
        count = count + 2
      end
    end
  end
  at = last + 1
end
return reply
`;

/** The commands that run a script, the read-only one first. Servers before version 7 lack that. */
const COMMANDS = [
  { bySum: "EVALSHA_RO", byText: "EVAL_RO" },
  { bySum: "EVALSHA", byText: "EVAL" },
] as const;

/** Error codes of temporary states: the server is starting, busy or failing over. */
const TEMPORARY: ReadonlySet<string> = new Set([
  "BUSY",
  "CLUSTERDOWN",
  "LOADING",
  "MASTERDOWN",
  "NOAUTH",
  "TRYAGAIN",
]);

/** A function that runs the script; it returns `undefined` from then on if the server runs no scripts. */
function createScriptReader(
  connection: Connection,
): (start: string, wanted: readonly WantedKeys[]) => Promise<TogetherAnswer | undefined> {
  let refused = 0;
  let sum: Promise<string> | undefined;

  async function run(start: string, names: readonly string[]): Promise<unknown> {
    for (let command = COMMANDS[refused]; command !== undefined; command = COMMANDS[refused]) {
      sum ??= sha1(SCRIPT);
      const given = ["1", start, ...names];
      let [reply] = await connection.send([[command.bySum, await sum, ...given]]);
      // A restarted server has no scripts.
      if (refusalCode(reply) === "NOSCRIPT")
        [reply] = await connection.send([[command.byText, SCRIPT, ...given]]);
      if (!(reply instanceof Error)) return reply;
      if (TEMPORARY.has(refusalCode(reply) ?? "")) throw reply;
      if (COMMANDS[refused] === command) refused++;
    }
    return undefined;
  }

  return async (start, wanted) => {
    const names = wanted.flatMap(({ section, keys }) => [
      SECTION_NAMES[section],
      String(keys.length),
      ...keys,
    ]);
    const reply = await run(start, names);
    return reply === undefined ? undefined : answerOf(toList(reply), wanted);
  };
}

function answerOf(reply: readonly unknown[], wanted: readonly WantedKeys[]): TogetherAnswer {
  let next = 1;
  const records = wanted.flatMap(({ keys }) =>
    keys.map(() => {
      const count = Number(reply[next++]);
      if (count > MAX_RECORDS) return count;
      const found: StoredText[] = [];
      for (let record = 0; record < count; record++) {
        found.push({ id: toText(reply[next]) ?? "", text: toText(reply[next + 1]) });
        next += 2;
      }
      return found;
    }),
  );
  return { generation: toText(reply[0]), records };
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
