/** Detects that a Redis server may have lost keys of a data set. */
import { noData } from "../kvstore-layout.js";
import { sendOne, toText, type Connection, type RedisLink } from "./redis-link.js";
import { scan } from "./redis-scan.js";

/** Steps of SCAN after which the keys are assumed to exist. */
const MAX_STEPS = 50;

/** The reason why keys that begin with a text may be missing; `undefined` without evidence. */
export async function whyIncomplete(link: RedisLink, start: string): Promise<string | undefined> {
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
