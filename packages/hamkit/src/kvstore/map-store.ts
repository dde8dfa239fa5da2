/** A `Map` as a key/value store, for tests, browsers and single processes. */
import { noData } from "./kvstore-layout.js";
import type { KeyValueStore } from "./key-value-store.js";

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
