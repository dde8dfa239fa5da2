/** Makes a table of the fetched part of a data set, which `identifyAt` searches. */
import type { TableSection } from "../lookup/candidate-keys.js";
import { valueAt, withValue, type Entry } from "../lookup/dated-entries.js";
import { includes, type Period, type SearchedTable } from "../lookup/source.js";
import { isNumber, SECTION_NAMES } from "./kvstore-layout.js";
import {
  readInvalidOperation,
  readRecord,
  readZoneException,
  type BadRecord,
  type StoredEntry,
} from "./kvstore-record.js";
import type { StoredRecords, WantedKeys } from "./key-value-store.js";

/** The records of one read. */
export interface Fetched {
  readonly wanted: readonly WantedKeys[];
  /** For each requested key, in their order. */
  readonly records: readonly StoredRecords[];
  /** The periods of whitelists, by ADIF code of the entity. */
  readonly whitelists: ReadonlyMap<number, Period>;
}

type Reader<Value> = (text: string) => StoredEntry<Value> | BadRecord;

/** Cached records. The prefixes in use have some hundred. */
const MAX_CACHED = 10_000;

/**
 * A function that makes tables of fetched records.
 *
 * @param name The source in identifications.
 * @param warn Receives a warning for each unreadable record, which is skipped.
 */
export function createTableMaker(
  name: string,
  warn: (message: string) => void,
): (fetched: Fetched) => SearchedTable {
  const asRecord = cached(readRecord);
  const asOperation = cached(readInvalidOperation);
  const asZone = cached(readZoneException);

  return (fetched) => {
    const calls = entriesIn(fetched, "calls", asRecord, warn);
    const prefixes = entriesIn(fetched, "prefixes", asRecord, warn);
    const operations = entriesIn(fetched, "invalidOperations", asOperation, warn);
    const zones = entriesIn(fetched, "zoneExceptions", asZone, warn);
    return {
      name,
      exact: (call, at) => valueAt(calls.get(call), at),
      prefix: (prefix, at) => valueAt(prefixes.get(prefix), at),
      longestPrefix(text, at, minLength) {
        for (let length = text.length; length >= minLength; length--) {
          const record = valueAt(prefixes.get(text.slice(0, length)), at);
          if (record !== undefined) return { record, length };
        }
        return undefined;
      },
      isInvalidOperation: (call, at) => valueAt(operations.get(call), at) ?? false,
      zoneException: (call, at) => valueAt(zones.get(call), at),
      needsEntry(adif, at) {
        const whitelist = fetched.whitelists.get(adif);
        return whitelist !== undefined && includes(whitelist, at);
      },
    };
  };
}

/** The entries of a section. */
function entriesIn<Value>(
  fetched: Fetched,
  section: TableSection,
  read: Reader<Value>,
  warn: (message: string) => void,
): Map<string, Entry<Value>> {
  const name = SECTION_NAMES[section];
  const entries = new Map<string, Entry<Value>>();
  for (const [key, records] of recordsIn(fetched, section)) {
    if (typeof records === "number") {
      warn(`${name}_index_${key}: ${records} records are too many`);
      continue;
    }
    for (const { id, text } of records) {
      const found = text === undefined || !isNumber(id) ? NO_RECORD : read(text);
      // A key may occur in two spellings: 3D2/r, as in some files, and 3D2/R.
      const call = key.toUpperCase();
      if ("problem" in found) warn(`${name}_${id}: ${found.problem}`);
      else entries.set(call, withValue(entries.get(call), { ...found, id: Number(id) }));
    }
  }
  return entries;
}

const NO_RECORD: BadRecord = { problem: "expected the number of an existing record" };

/** The keys of a section that have records. */
function* recordsIn(
  { wanted, records }: Fetched,
  section: TableSection,
): Generator<readonly [key: string, records: StoredRecords]> {
  let first = 0;
  for (const part of wanted) {
    for (let index = 0; part.section === section && index < part.keys.length; index++) {
      const found = records[first + index] ?? 0;
      if (found !== 0) yield [part.keys[index] ?? "", found];
    }
    first += part.keys.length;
  }
}

/** A reader with a cache by text, which needs no expiry because it depends on the text alone. */
function cached<Value>(read: Reader<Value>): Reader<Value> {
  const known = new Map<string, StoredEntry<Value> | BadRecord>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = read(text);
      if (known.size >= MAX_CACHED) known.clear();
      known.set(text, value);
    }
    return value;
  };
}
