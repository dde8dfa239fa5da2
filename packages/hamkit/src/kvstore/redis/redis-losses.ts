/** What tells that a Redis server may have lost keys of a data set. */
import { noData } from "../kvstore-layout.js";
import { sendOne, toText, type Connection, type RedisLink } from "./redis-link.js";
import { scan } from "./redis-scan.js";

/** Steps of SCAN after which a server is taken for one that has such keys. */
const MAX_STEPS = 50;

/** Why keys that begin with a text may be missing; `undefined` where nothing speaks for it, or no server tells. */
export async function whyIncomplete(link: RedisLink, start: string): Promise<string | undefined> {
  const nodes = await link.masters();
  const stored = link.storedPrefix + start;
  const evictions = await Promise.all(nodes.map((node) => evictedKeys(node).catch(() => 0)));
  const evicted = evictions.reduce((sum, count) => sum + count, 0);
  if (evicted > 0) return `the server has evicted ${evicted} keys, some of which may belong to the data set`;
  const findings = await Promise.all(nodes.map((node) => hasNoKey(node, stored).catch(() => false)));
  return findings.every(Boolean) ? noData(start) : undefined;
}

/** How many keys a server has evicted that may evict any; keys of a data set never expire, so other policies spare them. */
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
