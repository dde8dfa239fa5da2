/** The interface of a key/value store: texts, sets of texts and hashes under keys. */
import type { TableSection } from "../lookup/candidate-keys.js";

/**
 * A store with the operations that hamkit needs. Clients of Redis and Valkey and a `Map` are adapted to it; other stores
 * implement it.
 */
export interface KeyValueStore {
  /** For messages, without passwords: "redis://127.0.0.1:6379/0". */
  readonly name: string;
  /** The texts under keys, in the order of the keys; `undefined` for a missing one. */
  texts(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** The members of the sets under keys, in the order of the keys; none for a missing set. */
  sets(keys: readonly string[]): Promise<readonly (readonly string[])[]>;
  /**
   * The texts of fields of hashes, in their order; `undefined` for a missing one. Optional: for stores without hashes, or that
   * never evict keys, the data set is read by `sets` and `texts`.
   */
  fields?(hashes: readonly HashFields[]): Promise<readonly (readonly (string | undefined)[])[]>;
  /**
   * The reason why keys that begin with a text may be missing: none exists, or the server has evicted keys. `undefined` without
   * evidence, or if the check takes too long or is not permitted. Optional.
   */
  whyIncomplete?(start: string): Promise<string | undefined>;
  /**
   * Replaces a data set: atomically if the store can, so that no reader sees a part of it.
   *
   * After a failure the old data set remains, or each of its keys has the old or the new value.
   *
   * @param signal Aborted when the time limit of the caller ends.
   */
  replace(dataSet: StoredDataSet, signal: AbortSignal): Promise<void>;
  /**
   * The generation and all records of keys, of the same moment; `undefined` where the store can't read them together. Optional:
   * otherwise `sets` and `texts` are read one after the other, and again if the generation has changed in between.
   */
  together?(start: string, wanted: readonly WantedKeys[]): Promise<TogetherAnswer | undefined>;
}

/** Fields of one hash. */
export interface HashFields {
  readonly key: string;
  readonly fields: readonly string[];
}

/** Keys of one section. */
export interface WantedKeys {
  readonly section: TableSection;
  readonly keys: readonly string[];
}

/** The records of keys at one moment. */
export interface TogetherAnswer {
  readonly generation: string | undefined;
  /** For each requested key, in their order. */
  readonly records: readonly StoredRecords[];
}

/** The records of a key; or only their number, where it exceeds 1000. */
export type StoredRecords = readonly StoredText[] | number;

/** Of a key. No valid data set has more. */
export const MAX_RECORDS = 1000;

/** A record as it is stored. */
export interface StoredText {
  readonly id: string;
  /** `undefined` for a missing record. */
  readonly text: string | undefined;
}

/** Fields and texts by the keys of hashes. */
export type StoredHashes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The stored form of a table under a prefix. */
export interface StoredDataSet {
  /** The beginning of all its keys. */
  readonly start: string;
  /** Whether a key belongs to this data set; keys that are not written again must be deleted. */
  readonly owns: (key: string) => boolean;
  /** The record number of a key; `undefined` for keys that are not records. */
  readonly idOf: (key: string) => number | undefined;
  /** Keys and texts. */
  readonly texts: ReadonlyMap<string, string>;
  /** Keys and members. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  /** The same data for stores with hashes: keys, fields and texts. The last field of each hash is the generation. */
  readonly hashes: () => StoredHashes;
  /** The key that identifies the copy, and its text. A store that is not atomic writes it last. */
  readonly generation: readonly [key: string, text: string];
  /** A lock key against concurrent copies, for stores that are not atomic. */
  readonly lock: string;
  /** The same data set with other record numbers, for entries without numbers of the file. */
  numberedFrom(first: number): StoredDataSet;
}
