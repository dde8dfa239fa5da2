/**
 * How a data set lies in a key/value store. The layout is pyhamtools', so that Python programs share the store.
 *
 * Sets `P_prefix_index_DL` hold the numbers of records `P_prefix_12`, which are JSON objects; P is the data set's prefix.
 *
 * hamkit writes all of it once more, into the hashes `P_hash_0` to `P_hash_15`, and reads those. A server that evicts keys removes
 * a hash as a whole, and with it the field `generation` that each has, so that a missing record can't look like an unknown callsign.
 */
import { ValueError } from "../errors.js";
import type { TableSection } from "../lookup/candidate-keys.js";
import { slotOf } from "./redis/redis-slots.js";

/** What the layout calls the sections of a table. */
export const SECTION_NAMES: Readonly<Record<TableSection, string>> = {
  calls: "call_ex",
  prefixes: "prefix",
  invalidOperations: "inv_op",
  zoneExceptions: "zone_ex",
};

/** Number of hashes. Part of the layout: readers of another number would not find the data. */
const HASHES = 16;

/** Fields of the hashes beside those of the data. */
export const GENERATION_FIELD = "generation";
export const SAMPLE_FIELD = "sample";

const HASHED = "hashes-";

/** Why a data set without any key can't be read. */
export function noData(start: string): string {
  return `no data set has been copied to keys that begin with ${start}`;
}

/** A text that no other copy has, and that says that hashes were written. */
export function newGeneration(): string {
  return `${HASHED}${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** Whether a copy with this generation has hashes. */
export function isHashedGeneration(generation: string | undefined): boolean {
  return generation?.startsWith(HASHED) ?? false;
}

/** DXCC codes have three digits at the most. */
const ENTITY_CODES = Array.from({ length: 1000 }, (_, adif) => adif);

/** The field of a call's or prefix's records. */
export function recordsField(section: TableSection, key: string): string {
  return `${SECTION_NAMES[section]}_${key}`;
}

/** The field of an entity. */
export function entityField(adif: number): string {
  return `entity_${adif}`;
}

/** The names of a data set's keys. */
export interface KeyNames {
  /** What all of them begin with. */
  readonly start: string;
  /** Changes with each copy made by hamkit. pyhamtools neither writes nor minds it. */
  readonly generation: string;
  /** Held while a copy is made where that can't be done in one step. */
  readonly lock: string;
  /** The set of the numbers of a key's records. */
  index(section: TableSection, key: string): string;
  record(section: TableSection, id: number | string): string;
  entity(adif: number): string;
  /** The codes of all entities that there can be. */
  readonly entityCodes: readonly number[];
  /** The keys of all hashes. */
  readonly hashes: readonly string[];
  /** The key of the hash that has a field. */
  readonly hashOf: (field: string) => string;
  /** Whether a key belongs to the data set: those of another one, P_2, may begin with the same text. */
  readonly owns: (key: string) => boolean;
  /** The number of the record that a key is of; `undefined` for every other key. */
  readonly idOf: (key: string) => number | undefined;
}

/** No call or prefix has an underscore, and every key of the layout has: `P_prefix_index_2_prefix_7` is no key of P. */
const OWN = /^(?:(?:call_ex|prefix|inv_op|zone_ex)_(?:index_[^_]*|\d+)|entity_\d+|hash_\d+|generation)$/;
const RECORD = /^(?:call_ex|prefix|inv_op|zone_ex)_(\d{1,15})$/;

/**
 * The keys under a prefix.
 *
 * @throws {ValueError} The prefix is no string.
 */
export function keyNamesOf(kvPrefix: string | undefined): KeyNames {
  if (typeof kvPrefix !== "string") {
    throw new ValueError({ argument: "kvPrefix", value: kvPrefix, expected: 'a string, such as "CF"' });
  }
  const start = `${kvPrefix}_`;
  const entity = (adif: number): string => `${start}${entityField(adif)}`;
  const hash = (number: number): string => `${start}hash_${number}`;
  return {
    start,
    generation: `${start}generation`,
    lock: `${start}copying`,
    index: (section, key) => `${start}${SECTION_NAMES[section]}_index_${key}`,
    record: (section, id) => `${start}${SECTION_NAMES[section]}_${id}`,
    entity,
    entityCodes: ENTITY_CODES,
    hashes: Array.from({ length: HASHES }, (_, number) => hash(number)),
    hashOf: (field) => hash(slotOf(field) % HASHES),
    owns: (key) => key.startsWith(start) && OWN.test(key.slice(start.length)),
    idOf(key) {
      const match = key.startsWith(start) ? RECORD.exec(key.slice(start.length)) : null;
      return match === null ? undefined : Number(match[1]);
    },
  };
}
