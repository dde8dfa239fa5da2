/** Reads a data set with one script: index and records of the same moment, in one round trip. */
import { SECTION_NAMES } from "../kvstore-layout.js";
import { MAX_RECORDS, type StoredText, type TogetherAnswer, type WantedKeys } from "../key-value-store.js";
import { refusalCode, toList, toText, type Connection } from "./redis-link.js";

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
export function createScriptReader(
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
