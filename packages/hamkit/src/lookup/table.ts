/** Tables in memory: call exceptions, prefixes and lists of operations, each entry with its period. */
import { entriesOf, entriesOfKey, valueAt, withValue, type DatedValue, type Entry } from "./dated-entries.js";
import { includes } from "./period.js";
import type { EntityEntry, TableSource } from "./source.js";
import { PrefixTree } from "./prefix-tree.js";
import type { CallsignRecord } from "./record.js";

/** A table without name and date, which its maker adds. */
export type TableQueries = Omit<TableSource, "name" | "date">;

/** Fills a table; `table` may be searched when it is full. */
export interface TableBuilder {
  readonly table: TableQueries;
  /** Replaces all entries of a call by one without a period. */
  readonly setExact: (call: string, record: CallsignRecord) => void;
  /** Replaces all entries of a prefix by one without a period. */
  readonly setPrefix: (prefix: string, record: CallsignRecord) => void;
  /** Adds an entry of a call. */
  readonly addExact: (call: string, entry: DatedValue<CallsignRecord>) => void;
  /** Adds an entry of a prefix. */
  readonly addPrefix: (prefix: string, entry: DatedValue<CallsignRecord>) => void;
  /** Whether the prefix has an entry, of any period. */
  hasPrefix(prefix: string): boolean;
  /** Number of calls and prefixes with entries. */
  size(): number;
}

/** Fills a table of a format that also has lists of operations. */
export interface ListTableBuilder extends TableBuilder {
  readonly addInvalidOperation: (call: string, entry: DatedValue<true>) => void;
  readonly addZoneException: (call: string, entry: DatedValue<number>) => void;
}

/** Engines may keep a part of a text of at least so many characters as a reference into the whole. */
const MIN_SLICED_LENGTH = 13;

/** A copy of a text that does not keep the file that it is a part of in memory. */
export function detachedText(text: string): string {
  return text.length < MIN_SLICED_LENGTH ? text : Array.from(text).join("");
}

/** The characters and the length of normalized callsigns. */
const KEY = /^[A-Z0-9/-]{1,30}$/;

/** Whether a text can be a call or prefix of a table. */
export function isTableKey(text: string): boolean {
  return KEY.test(text);
}

/** Calls that a table has in addition to those that are added. */
export interface ExactIndex {
  readonly size: number;
  get(call: string): CallsignRecord | undefined;
  entries(): Iterable<readonly [call: string, record: CallsignRecord]>;
}

export interface TableOptions {
  /** Entities by ADIF code; may be filled later. */
  readonly entities: ReadonlyMap<number, EntityEntry>;
  /** Initial number of nodes of the prefix tree. */
  readonly room?: number;
  readonly calls?: ExactIndex | undefined;
}

/** An empty table of calls and prefixes. */
export function createTable({ entities, room, calls }: TableOptions): TableBuilder {
  const exact = new Map<string, Entry<CallsignRecord>>();
  const prefixes = new PrefixTree<Entry<CallsignRecord>>(room);
  return {
    table: {
      kind: "table",
      exact: (call, at) => valueAt(exact.get(call), at) ?? calls?.get(call),
      prefix: (prefix, at) => valueAt(prefixes.get(prefix), at),
      longestPrefix(text, at, minLength) {
        const match = prefixes.longest(text, minLength, valueAt<CallsignRecord>, at);
        return match && { record: match.found, length: match.length };
      },
      entity: (adif) => entities.get(adif)?.record,
      entries(section, key) {
        const entry = section === "calls" ? (exact.get(key) ?? calls?.get(key)) : prefixes.get(key);
        return entry === undefined ? [] : entriesOfKey(key, entry);
      },
      content: () => ({
        calls: entriesOf([...(calls?.entries() ?? []), ...exact]),
        prefixes: entriesOf(prefixes.entries()),
        entities: entities.values(),
      }),
    },
    setExact: (call, record) => exact.set(detachedText(call), record),
    setPrefix: (prefix, record) => prefixes.set(prefix, record),
    addExact(call, entry) {
      const present = exact.get(call);
      exact.set(present === undefined ? detachedText(call) : call, withValue(present, entry));
    },
    addPrefix: (prefix, entry) => prefixes.update(prefix, (present) => withValue(present, entry)),
    hasPrefix: (prefix) => prefixes.get(prefix) !== undefined,
    size: () => exact.size + prefixes.size + (calls?.size ?? 0),
  };
}

/** An empty table that also has lists of operations. */
export function createListTable(options: TableOptions): ListTableBuilder {
  const builder = createTable(options);
  const invalid = new Map<string, Entry<true>>();
  const zones = new Map<string, Entry<number>>();
  const { entities } = options;
  return {
    ...builder,
    table: {
      ...builder.table,
      isInvalidOperation: (call, at) => valueAt(invalid.get(call), at) ?? false,
      zoneException: (call, at) => valueAt(zones.get(call), at),
      needsEntry(adif, at) {
        const whitelist = entities.get(adif)?.whitelist;
        return whitelist !== undefined && includes(whitelist, at);
      },
      content: () => ({
        ...builder.table.content(),
        invalidOperations: entriesOf(invalid),
        zoneExceptions: entriesOf(zones),
      }),
    },
    addInvalidOperation: (call, entry) =>
      invalid.set(detachedText(call), withValue(invalid.get(call), entry)),
    addZoneException: (call, entry) => zones.set(detachedText(call), withValue(zones.get(call), entry)),
  };
}
