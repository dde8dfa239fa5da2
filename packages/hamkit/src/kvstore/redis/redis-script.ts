/** Reading a data set with one script, so that index and records are of the same moment and cost one round trip. */
import { SECTION_NAMES } from "../kvstore-layout.js";
import { MOST_RECORDS, type StoredText, type TogetherAnswer, type WantedKeys } from "../key-value-store.js";
import { refusalCode, toList, toText, type Connection } from "./redis-link.js";

/**
 * KEYS[1] is what the data set's keys begin with. ARGV: for each section its name, how many keys follow, the keys.
 * Answers with the generation; then for each key how many records it has, and number and text of each.
 *
 * Its keys are made of what it reads, as servers allow that are no cluster, or as long as all lie in one slot.
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
    if #ids > 0 and #ids <= ${MOST_RECORDS} then
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

/** The commands that run a script, the one that can't write first. Servers before version 7 don't have that. */
const COMMANDS = [
  { bySum: "EVALSHA_RO", byText: "EVAL_RO" },
  { bySum: "EVALSHA", byText: "EVAL" },
] as const;

/** Refusals that will pass: the server is starting, or busy, or about to be another one. */
const PASSING: ReadonlySet<string> = new Set([
  "BUSY",
  "CLUSTERDOWN",
  "LOADING",
  "MASTERDOWN",
  "NOAUTH",
  "TRYAGAIN",
]);

/** A function that runs the script; it gives `undefined`, now and ever after, where the server takes no scripts. */
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
      // A server forgets its scripts when it is started anew.
      if (refusalCode(reply) === "NOSCRIPT")
        [reply] = await connection.send([[command.byText, SCRIPT, ...given]]);
      if (!(reply instanceof Error)) return reply;
      if (PASSING.has(refusalCode(reply) ?? "")) throw reply;
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
      if (count > MOST_RECORDS) return count;
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
