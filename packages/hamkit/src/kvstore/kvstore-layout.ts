/**
 * The layout of a data set in a key/value store. It is that of pyhamtools, so that Python programs can share the store.
 *
 * Sets `P_prefix_index_DL` have the numbers of records `P_prefix_12`, which are JSON objects; P is the data set's prefix.
 *
 * hamkit also writes all records into the hashes `P_hash_0` to `P_hash_15`, and reads those. A server that evicts keys removes
 * a hash as a whole, with the field `generation` that each has, so that a missing record is not taken for an unknown callsign.
 */
import { ValueError } from "../errors.js";
import type { TableSection } from "../lookup/candidate-keys.js";
import type { StoredText } from "./key-value-store.js";
import { slotOf } from "./redis/redis-slots.js";

/** The names of the sections of a table in the layout. */
export const SECTION_NAMES: Readonly<Record<TableSection, string>> = {
  calls: "call_ex",
  prefixes: "prefix",
  invalidOperations: "inv_op",
  zoneExceptions: "zone_ex",
};

/** Number of hashes; part of the layout: a reader with another number would not find the data. */
const HASHES = 16;

/** Fields of the hashes in addition to the data. */
export const GENERATION_FIELD = "generation";
export const SAMPLE_FIELD = "sample";

const HASHED = "hashes-";

/** The error message for a prefix without any key. */
export function noData(start: string): string {
  return `no data set has been copied to keys that begin with ${start}`;
}

/** A unique text that marks a copy with hashes. */
export function newGeneration(): string {
  return `${HASHED}${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** Whether a copy with this generation has hashes. */
export function isHashedGeneration(generation: string | undefined): boolean {
  return generation?.startsWith(HASHED) ?? false;
}

/** DXCC codes have at most three digits. */
const ENTITY_CODES = Array.from({ length: 1000 }, (_, adif) => adif);

/** The field with the records of a call or prefix. */
export function recordsField(section: TableSection, key: string): string {
  return `${SECTION_NAMES[section]}_${key}`;
}

/** The field of an entity. */
export function entityField(adif: number): string {
  return `entity_${adif}`;
}

/** The names of a data set's keys. */
export interface KeyNames {
  /** The beginning of all keys. */
  readonly start: string;
  /** Changes with each copy made by hamkit. pyhamtools neither writes nor reads it. */
  readonly generation: string;
  /** Exists during a copy that is not atomic. */
  readonly lock: string;
  /** The set with the numbers of a key's records. */
  index(section: TableSection, key: string): string;
  record(section: TableSection, id: number | string): string;
  entity(adif: number): string;
  /** All possible entity codes. */
  readonly entityCodes: readonly number[];
  /** The keys of all hashes. */
  readonly hashes: readonly string[];
  /** The key of the hash of a field. */
  readonly hashOf: (field: string) => string;
  /** Whether a key belongs to the data set: keys of another one, P_2, may begin with the same text. */
  readonly owns: (key: string) => boolean;
  /** The record number of a key; `undefined` for keys that are not records. */
  readonly idOf: (key: string) => number | undefined;
}

/** Calls and prefixes have no underscore: `P_prefix_index_2_prefix_7` is a key of P_prefix_index_2, not of P. */
const OWN = /^(?:(?:call_ex|prefix|inv_op|zone_ex)_(?:index_[^_]*|\d+)|entity_\d+|hash_\d+|generation)$/;
const RECORD = /^(?:call_ex|prefix|inv_op|zone_ex)_(\d{1,15})$/;

/**
 * The keys under a prefix.
 *
 * @throws {ValueError} The prefix is not a string.
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

/** The line of a record in a field of a hash: number, blank, JSON. JSON contains no line ends. */
export function writeLine({ id, text = "" }: StoredText): string {
  return `${id} ${text}`;
}

/** The records of a field; none for a missing field. */
export function readLines(text: string | undefined): StoredText[] {
  if (text === undefined) return [];
  return text.split("\n").map((line) => {
    const blank = line.indexOf(" ");
    return { id: line.slice(0, blank), text: line.slice(blank + 1) };
  });
}

/** Whether a text is the number of a record. */
export function isNumber(id: string): boolean {
  return /^\d{1,15}$/.test(id);
}
