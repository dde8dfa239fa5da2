/** Brings logs together: each contact once. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { ArgumentTypeError } from "../errors.js";
import { createContactIndex, type SameContactOptions } from "./contact-index.js";
import { mergeRecords, type FieldChange, type FieldConflict } from "./merge-records.js";

/** Where records are kept that repeat a contact: in memory, or in a file for logs of any size. */
export interface RecordStore {
  /** Keeps a record; returns its number, from 0. */
  put(record: AdifRecord): number;
  /** A record by its number. */
  get(number: number): AdifRecord;
}

/** A contact of all logs. */
export interface MergedContact {
  readonly record: AdifRecord;
  /** Records that repeat it. */
  readonly repeated: number;
  readonly changes: readonly FieldChange[];
  readonly conflicts: readonly FieldConflict[];
}

/** Options of `createLogMerger`. */
export interface LogMergerOptions extends SameContactOptions {
  /** In memory when left out. */
  readonly store?: RecordStore | undefined;
}

/** Merges logs that are read twice, in the same order: a log of a million contacts is never in memory. */
export interface LogMerger {
  /** First reading. `false` if the record repeats a contact. */
  add(record: AdifRecord): boolean;
  /** Second reading: the merged contact at its first record; `undefined` for those that repeat it. */
  next(record: AdifRecord): MergedContact | undefined;
  readonly contacts: number;
  readonly repeated: number;
  /** Contacts without call, band, date or time, which are kept as they are. */
  readonly incomparable: number;
}

/**
 * Starts to merge logs.
 *
 * @param options The window is 10 minutes when left out.
 * @throws {ValueError} The window is no number of minutes.
 * @example
 * const logs = [[{ CALL: "DH1TW", BAND: "20m", MODE: "CW", QSO_DATE: "20240630", TIME_ON: "1200" }]];
 * const merger = createLogMerger();
 * for (const record of logs.flat()) merger.add(record);
 * const merged = logs.flat().map((record) => merger.next(record));
 * merged[0]?.record.CALL; // => "DH1TW"
 */
export function createLogMerger({
  store = createMemoryStore(),
  windowMinutes = MERGE_WINDOW_MINUTES,
}: LogMergerOptions = {}): LogMerger {
  const index = createContactIndex({ windowMinutes });
  const repeats = createRepeats(store);
  const isContact: boolean[] = [];
  let read = 0;
  let contact = 0;

  return {
    add(record) {
      const found = index.find(record);
      isContact.push(found === undefined);
      if (found === undefined) index.add(record);
      else repeats.add(found.index, record);
      return found === undefined;
    },
    next(record) {
      return isContact[read++] === true ? repeats.merge(contact++, record) : undefined;
    },
    get contacts() {
      return index.size;
    },
    get repeated() {
      return isContact.length - index.size;
    },
    get incomparable() {
      return index.incomparable;
    },
  };
}

/** Own logs differ by less than those of two stations. */
const MERGE_WINDOW_MINUTES = 10;

/** Records that say something of contacts, by the index of the contact. */
export interface Repeats {
  add(contact: number, record: AdifRecord): void;
  /** The contact with what they say, in the order in which they were added. */
  merge(contact: number, record: AdifRecord): MergedContact;
}

export function createRepeats(store: RecordStore): Repeats {
  /** The last record of a contact, and of each record the one before, in the store; with holes. */
  const last: number[] = [];
  const before: number[] = [];
  return {
    add(contact, record) {
      const number = store.put(record);
      while (last.length <= contact) last.push(-1);
      before[number] = last[contact] ?? -1;
      last[contact] = number;
    },
    merge(contact, record) {
      const numbers: number[] = [];
      for (let each = last[contact] ?? -1; each >= 0; each = before[each] ?? -1) numbers.push(each);
      const changes: FieldChange[] = [];
      const conflicts: FieldConflict[] = [];
      let merged = record;
      for (const number of numbers.toReversed()) {
        const step = mergeRecords(merged, store.get(number));
        merged = step.record;
        changes.push(...step.changes);
        conflicts.push(...step.conflicts);
      }
      return { record: merged, repeated: numbers.length, changes, conflicts };
    },
  };
}

/** Keeps records in memory. */
export function createMemoryStore(): RecordStore {
  const records: AdifRecord[] = [];
  return {
    put: (record) => records.push(record) - 1,
    get: (number) => records[number] ?? {},
  };
}

/** Logs that were brought together. */
export interface MergedLogs {
  /** Each contact once, in the order of its first record. */
  readonly records: readonly AdifRecord[];
  /** Contacts that several records have. */
  readonly merged: readonly MergedContact[];
  readonly repeated: number;
  readonly incomparable: number;
}

/**
 * Merges logs in memory: contacts with the same call, band and group of modes within minutes become one. Also finds the dupes of one
 * log: their records are in `merged`.
 *
 * @param logs Records of ADIF; where values contradict, those of the first log are kept.
 * @throws {ArgumentTypeError} A log is no iterable of records.
 * @throws {ValueError} The window is no number of minutes.
 * @example
 * const contact = { CALL: "DH1TW", BAND: "20m", QSO_DATE: "20240630", TIME_ON: "1200" };
 * const { records, merged } = mergeLogs([[{ ...contact, MODE: "FT4" }], [{ ...contact, MODE: "DATA", TIME_ON: "1204", STATE: "BW" }]]);
 * records.length; // => 1
 * merged[0]?.changes; // => [{ field: "STATE", after: "BW" }]
 */
export function mergeLogs(
  logs: readonly Iterable<AdifRecord>[],
  options: SameContactOptions = {},
): MergedLogs {
  const all = logs.flatMap((log) => {
    if (typeof log !== "object" || !(Symbol.iterator in log))
      throw new ArgumentTypeError({ argument: "logs", value: log, expected: "iterables of records" });
    return Array.from(log);
  });
  const merger = createLogMerger(options);
  for (const record of all) merger.add(record);
  const contacts = all.flatMap((record) => merger.next(record) ?? []);
  return {
    records: contacts.map(({ record }) => record),
    merged: contacts.filter(({ repeated }) => repeated > 0),
    repeated: merger.repeated,
    incomparable: merger.incomparable,
  };
}
