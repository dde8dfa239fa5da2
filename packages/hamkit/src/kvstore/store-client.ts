/** Recognizes stores: a `Map`, a client of Redis, or an object with the methods of a store. */
import { ValueError } from "../errors.js";
import { createIoredisLink, isIoredis } from "./redis/ioredis-link.js";
import type { KeyValueStore } from "./key-value-store.js";
import { createNodeRedisLink, isNodeRedis } from "./redis/node-redis-link.js";
import { createRedisStore } from "./redis/redis-store.js";
import { noData } from "./kvstore-layout.js";

/** A store, or a client of one. Any object may be passed; it is recognized when it is used. */
export type StoreClient = object;

/**
 * The store of a client.
 *
 * @throws {ValueError} The value is not a store of a known kind.
 */
export function storeOf(client: StoreClient | undefined): KeyValueStore {
  if (typeof client === "object" && client !== null) {
    if (isMap(client)) return createMapStore(client);
    if (isStore(client)) return client;
    if (isIoredis(client)) return createRedisStore(createIoredisLink(client));
    if (isNodeRedis(client)) return createRedisStore(createNodeRedisLink(client));
  }
  throw new ValueError({
    argument: "kvInstance",
    value: client,
    expected:
      "a key/value store: a client or cluster client of ioredis or redis (node-redis), a Map, or an object with the methods texts, sets and replace",
  });
}

/** Whether a value is a map, also one of another window. */
function isMap(client: object): client is StoreMap {
  return Object.prototype.toString.call(client) === "[object Map]";
}

function isStore(client: object): client is KeyValueStore {
  const { texts, sets, replace } = client as Record<string, unknown>;
  return [texts, sets, replace].every((method) => typeof method === "function");
}

/** A map with texts and sets of texts. */
export type StoreMap = Map<string, string | ReadonlySet<string>>;

export function createMapStore(map: StoreMap): KeyValueStore {
  return {
    name: "a Map",
    texts: async (keys) =>
      keys.map((key) => {
        const value = map.get(key);
        return typeof value === "string" ? value : undefined;
      }),
    sets: async (keys) =>
      keys.map((key) => {
        const value = map.get(key);
        return typeof value === "object" ? [...value] : [];
      }),
    async whyIncomplete(start) {
      for (const key of map.keys()) if (key.startsWith(start)) return undefined;
      return noData(start);
    },
    async replace({ owns, texts, sets, generation }) {
      for (const key of map.keys()) if (owns(key)) map.delete(key);
      for (const [key, text] of [...texts, generation]) map.set(key, text);
      for (const [key, members] of sets) map.set(key, new Set(members));
    },
  };
}
