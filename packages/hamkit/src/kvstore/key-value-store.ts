/** A key/value store as hamkit uses it: texts and sets of texts under keys. */
import type { TableSection } from "../lookup/candidate-keys.js";

/**
 * What a store has to offer. Clients of Redis and Valkey and a `Map` are accepted as they are; other stores are, when
 * they have these methods.
 */
export interface KeyValueStore {
  /** For messages, without passwords: "redis://127.0.0.1:6379/0". */
  readonly name: string;
  /** The texts under keys, in the order of the keys; `undefined` where there is none. */
  texts(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** The members of the sets under keys, in the order of the keys; none where there is no set. */
  sets(keys: readonly string[]): Promise<readonly (readonly string[])[]>;
  /**
   * The texts of fields of hashes, in their order; `undefined` where there is none. Left out by stores that have no hashes or
   * never lose a key by themselves: there the data set is read from `sets` and `texts`.
   */
  fields?(hashes: readonly HashFields[]): Promise<readonly (readonly (string | undefined)[])[]>;
  /**
   * Why keys that begin with a text may be missing: there are none, or the server has evicted keys. `undefined` where nothing
   * speaks for it, or where finding out takes too long or is not allowed. May be left out.
   */
  whyIncomplete?(start: string): Promise<string | undefined>;
  /**
   * Puts a data set in the place of the one that is there: in one step if the store can, so that nobody sees a part of it.
   *
   * Where that fails the old data set stays, or each of its keys with the old or the new value.
   *
   * @param signal Tells when the caller has given up.
   */
  replace(dataSet: StoredDataSet, signal: AbortSignal): Promise<void>;
  /**
   * The generation, and all records of the wanted keys, of the same moment; `undefined` where the store can't tell. Where
   * this is left out, `sets` and `texts` are asked one after the other, and again if the generation has changed meanwhile.
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

/** What was found at one moment. */
export interface TogetherAnswer {
  readonly generation: string | undefined;
  /** For each wanted key, in their order. */
  readonly records: readonly StoredRecords[];
}

/** The records of a key; or only how many they are, where they are too many to be read. */
export type StoredRecords = readonly StoredText[] | number;

/** No call or prefix has more records. Reading them would only cost time. */
export const MOST_RECORDS = 1000;

/** A record as it is stored. */
export interface StoredText {
  readonly id: string;
  /** Nothing where the record is missing. */
  readonly text: string | undefined;
}

/** Fields and texts by the keys of hashes. */
export type StoredHashes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Everything that is to be stored under a prefix. */
export interface StoredDataSet {
  /** What all its keys begin with. */
  readonly start: string;
  /** Whether a key is one of this data set; what is not written anew has to go. */
  readonly owns: (key: string) => boolean;
  /** The number of the record that a key is of; `undefined` for other keys. */
  readonly idOf: (key: string) => number | undefined;
  /** Keys and texts. */
  readonly texts: ReadonlyMap<string, string>;
  /** Keys and members. */
  readonly sets: ReadonlyMap<string, readonly string[]>;
  /** The same data once more, made for stores that have hashes: keys, fields and texts. The last field of each is its generation. */
  readonly hashes: () => StoredHashes;
  /** The key that tells one copy from another, and its text. To be written last where there is more than one step. */
  readonly generation: readonly [key: string, text: string];
  /** A key for stores that need more than one step, to keep other copies out meanwhile. */
  readonly lock: string;
  /** The same with other numbers, where the data has none of its own. */
  numberedFrom(first: number): StoredDataSet;
}
