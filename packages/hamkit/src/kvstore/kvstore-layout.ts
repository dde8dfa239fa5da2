/**
 * How a data set lies in a key/value store. The layout is pyhamtools', so that Python programs share the store.
 *
 * Sets `P_prefix_index_DL` hold the numbers of records `P_prefix_12`, which are JSON objects; P is the data set's prefix.
 */
import { ValueError } from "../errors.js";
import type { TableSection } from "../lookup/candidate-keys.js";

/** What the layout calls the sections of a table. */
export const SECTION_NAMES: Readonly<Record<TableSection, string>> = {
  calls: "call_ex",
  prefixes: "prefix",
  invalidOperations: "inv_op",
  zoneExceptions: "zone_ex",
};

/** DXCC codes have three digits at the most. */
const MOST_ENTITIES = 1000;

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
  /** The keys of all entities that there can be. */
  entities(): string[];
  /** Whether a key belongs to the data set: those of another one, P_2, may begin with the same text. */
  readonly owns: (key: string) => boolean;
  /** The number of the record that a key is of; `undefined` for every other key. */
  readonly idOf: (key: string) => number | undefined;
}

/** No call or prefix has an underscore, and every key of the layout has: `P_prefix_index_2_prefix_7` is no key of P. */
const OWN = /^(?:(?:call_ex|prefix|inv_op|zone_ex)_(?:index_[^_]*|\d+)|entity_\d+|generation)$/;
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
  const entity = (adif: number): string => `${start}entity_${adif}`;
  return {
    start,
    generation: `${start}generation`,
    lock: `${start}copying`,
    index: (section, key) => `${start}${SECTION_NAMES[section]}_index_${key}`,
    record: (section, id) => `${start}${SECTION_NAMES[section]}_${id}`,
    entity,
    entities: () => Array.from({ length: MOST_ENTITIES }, (_, adif) => entity(adif)),
    owns: (key) => key.startsWith(start) && OWN.test(key.slice(start.length)),
    idOf(key) {
      const match = key.startsWith(start) ? RECORD.exec(key.slice(start.length)) : null;
      return match === null ? undefined : Number(match[1]);
    },
  };
}
