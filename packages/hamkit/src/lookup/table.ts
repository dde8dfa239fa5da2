/** Exceptions and prefixes of a database in memory, each with the period in which it holds. */
import type { Moment, TableSource } from "./ports.js";
import { PrefixTree } from "./prefix-tree.js";
import type { CallsignRecord, EntityRecord } from "./record.js";

/** When an entry holds; both ends belong to it. Left out: from ever, for ever. */
export interface Period {
  readonly start?: Moment | undefined;
  readonly end?: Moment | undefined;
}

interface DatedRecord extends Period {
  readonly record: CallsignRecord;
}

/** What a key has: a record for all times, as most have, or several with their periods. */
type Entry = CallsignRecord | DatedRecord[];

/** What a table answers; its maker adds name and date. */
export type TableQueries = Omit<TableSource, "name" | "date">;

/** A table that is being filled; `table` may be asked when that is done. */
export interface TableBuilder {
  readonly table: TableQueries;
  /** An entry for ever, in place of all that this call had. */
  readonly setExact: (call: string, record: CallsignRecord) => void;
  /** An entry for ever, in place of all that this prefix had. */
  readonly setPrefix: (prefix: string, record: CallsignRecord) => void;
  /** One more entry of a call. Where several hold at the same moment the first one added counts. */
  addExact(call: string, record: CallsignRecord, period: Period): void;
  /** One more entry of a prefix. Where several hold at the same moment the first one added counts. */
  addPrefix(prefix: string, record: CallsignRecord, period: Period): void;
  /** Whether this prefix has an entry at any time. */
  hasPrefix(prefix: string): boolean;
  /** How many calls and prefixes have entries. */
  size(): number;
}

/** Keys of a table: what a normalized callsign can be made of, and no longer. */
const KEY = /^[A-Z0-9/-]{1,30}$/;

/** Whether a text can be a prefix or call in a table. */
export function isTableKey(text: string): boolean {
  return KEY.test(text);
}

/** Calls that a table has from the start, beside those that are added. */
export interface ExactIndex {
  readonly size: number;
  get(call: string): CallsignRecord | undefined;
}

export interface TableOptions {
  /** Is asked for entities, now and later. */
  readonly entities: ReadonlyMap<number, EntityRecord>;
  /** For how many characters of prefixes there is room from the start. */
  readonly room?: number;
  readonly calls?: ExactIndex | undefined;
}

/** A table to be filled. */
export function createTable({ entities, room, calls }: TableOptions): TableBuilder {
  const exact = new Map<string, Entry>();
  const prefixes = new PrefixTree<Entry>(room);
  return {
    table: {
      kind: "table",
      exact: (call, at) => recordAt(exact.get(call), at) ?? calls?.get(call),
      prefix: (prefix, at) => recordAt(prefixes.get(prefix), at),
      longestPrefix(text, at, shortest) {
        const match = prefixes.longest(text, shortest, recordAt, at);
        return match && { record: match.found, length: match.length };
      },
      entity: (adif) => entities.get(adif),
    },
    setExact: (call, record) => exact.set(call, record),
    setPrefix: (prefix, record) => prefixes.set(prefix, record),
    addExact: (call, record, period) => exact.set(call, withRecord(exact.get(call), record, period)),
    addPrefix: (prefix, record, period) =>
      prefixes.set(prefix, withRecord(prefixes.get(prefix), record, period)),
    hasPrefix: (prefix) => prefixes.get(prefix) !== undefined,
    size: () => exact.size + prefixes.size + (calls?.size ?? 0),
  };
}

function withRecord(
  present: Entry | undefined,
  record: CallsignRecord,
  { start, end }: Period,
): DatedRecord[] {
  const entry = { record, start, end };
  if (present === undefined) return [entry];
  return Array.isArray(present) ? [...present, entry] : [{ record: present }, entry];
}

function recordAt(entry: Entry | undefined, at: Moment): CallsignRecord | undefined {
  return Array.isArray(entry) ? entry.find((dated) => holds(dated, at))?.record : entry;
}

/** Whether a moment lies in a period. */
export function holds({ start, end }: Period, at: Moment): boolean {
  return (start === undefined || at >= start) && (end === undefined || at <= end);
}
