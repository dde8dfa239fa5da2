/** Redis and Valkey as a key/value store, on one server or a cluster. */
import type { KeyValueStore } from "../key-value-store.js";
import { whyIncomplete } from "./redis-losses.js";
import { replaceAtOnce, replaceOneByOne } from "./redis-replace.js";
import { refusalCode, toList, toText, type Command, type RedisLink } from "./redis-link.js";
import { createScriptReader } from "./redis-script.js";
import { hasHashTag } from "./redis-slots.js";

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
