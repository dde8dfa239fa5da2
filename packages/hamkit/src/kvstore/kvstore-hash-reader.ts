/** Reads the hashes of a data set, hamkit's own part of the layout. */
import type { KeyNames } from "./kvstore-layout.js";
import { GENERATION_FIELD } from "./kvstore-layout.js";
import type { HashFields, KeyValueStore } from "./key-value-store.js";

/** A store that has hashes. */
export type HashStore = KeyValueStore & Required<Pick<KeyValueStore, "fields">>;

export function hasHashes(store: KeyValueStore): store is HashStore {
  return store.fields !== undefined;
}

/** The fields of hashes at one moment. */
export interface FieldsReply {
  /** In the order of the requested fields. */
  readonly texts: readonly (string | undefined)[];
  /** The generation of each requested hash, by its key; `undefined` for a missing hash. */
  readonly generations: ReadonlyMap<string, string | undefined>;
}

/** Whether all hashes exist and belong to one copy. */
export function isOfGeneration(generations: FieldsReply["generations"], generation: string): boolean {
  for (const found of generations.values()) if (found !== generation) return false;
  return true;
}

/** Reads fields, and the generation of each of their hashes, in one round trip. */
export async function readFields(
  store: HashStore,
  names: KeyNames,
  fields: readonly string[],
  always: readonly string[] = [],
): Promise<FieldsReply> {
  const wanted = new Map<string, string[]>(always.map((key) => [key, [GENERATION_FIELD]]));
  const places = fields.map((field) => {
    const key = names.hashOf(field);
    const there = wanted.get(key) ?? [GENERATION_FIELD];
    wanted.set(key, there);
    return { key, index: there.push(field) - 1 };
  });
  const asked: HashFields[] = Array.from(wanted, ([key, those]) => ({ key, fields: those }));
  const replies = await store.fields(asked);
  const found = new Map(asked.map(({ key }, number) => [key, replies[number] ?? []]));
  return {
    texts: places.map(({ key, index }) => found.get(key)?.[index]),
    generations: new Map(Array.from(found, ([key, [generation]]) => [key, generation])),
  };
}
