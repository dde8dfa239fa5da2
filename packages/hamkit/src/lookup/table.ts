/** Exceptions and prefixes of a database in memory, each with the period in which it holds. */
import { entriesOf, valueAt, withValue, type DatedValue, type Entry } from "./dated-entries.js";
import { ownText } from "./own-text.js";
import { holds } from "./period.js";
import type { EntityEntry, TableSource } from "./ports.js";
import { PrefixTree } from "./prefix-tree.js";
import type { CallsignRecord } from "./record.js";

/** What a table answers; its maker adds name and date. */
export type TableQueries = Omit<TableSource, "name" | "date">;

/** A table that is being filled; `table` may be asked when that is done. */
export interface TableBuilder {
  readonly table: TableQueries;
  /** An entry for ever, in place of all that this call had. */
  readonly setExact: (call: string, record: CallsignRecord) => void;
  /** An entry for ever, in place of all that this prefix had. */
  readonly setPrefix: (prefix: string, record: CallsignRecord) => void;
  /** One more entry of a call. */
  readonly addExact: (call: string, entry: DatedValue<CallsignRecord>) => void;
  /** One more entry of a prefix. */
  readonly addPrefix: (prefix: string, entry: DatedValue<CallsignRecord>) => void;
  /** Whether this prefix has an entry at any time. */
  hasPrefix(prefix: string): boolean;
  /** How many calls and prefixes have entries. */
  size(): number;
}

/** A table of a format that has lists of operations beside calls and prefixes. */
export interface ListTableBuilder extends TableBuilder {
  readonly addInvalidOperation: (call: string, entry: DatedValue<true>) => void;
  readonly addZoneException: (call: string, entry: DatedValue<number>) => void;
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
  entries(): Iterable<readonly [call: string, record: CallsignRecord]>;
}

export interface TableOptions {
  /** Entities by ADIF code. Is asked for them now and later. */
  readonly entities: ReadonlyMap<number, EntityEntry>;
  /** For how many characters of prefixes there is room from the start. */
  readonly room?: number;
  readonly calls?: ExactIndex | undefined;
}

/** A table to be filled. */
export function createTable({ entities, room, calls }: TableOptions): TableBuilder {
  const exact = new Map<string, Entry<CallsignRecord>>();
  const prefixes = new PrefixTree<Entry<CallsignRecord>>(room);
  return {
    table: {
      kind: "table",
      exact: (call, at) => valueAt(exact.get(call), at) ?? calls?.get(call),
      prefix: (prefix, at) => valueAt(prefixes.get(prefix), at),
      longestPrefix(text, at, shortest) {
        const match = prefixes.longest(text, shortest, valueAt<CallsignRecord>, at);
        return match && { record: match.found, length: match.length };
      },
      entity: (adif) => entities.get(adif)?.record,
      content: () => ({
        calls: entriesOf([...(calls?.entries() ?? []), ...exact]),
        prefixes: entriesOf(prefixes.entries()),
        entities: entities.values(),
      }),
    },
    setExact: (call, record) => exact.set(ownText(call), record),
    setPrefix: (prefix, record) => prefixes.set(prefix, record),
    addExact(call, entry) {
      const present = exact.get(call);
      exact.set(present === undefined ? ownText(call) : call, withValue(present, entry));
    },
    addPrefix: (prefix, entry) => prefixes.update(prefix, (present) => withValue(present, entry)),
    hasPrefix: (prefix) => prefixes.get(prefix) !== undefined,
    size: () => exact.size + prefixes.size + (calls?.size ?? 0),
  };
}

/** A table to be filled that has lists of operations too. */
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
        return whitelist !== undefined && holds(whitelist, at);
      },
      content: () => ({
        ...builder.table.content(),
        invalidOperations: entriesOf(invalid),
        zoneExceptions: entriesOf(zones),
      }),
    },
    addInvalidOperation: (call, entry) => invalid.set(ownText(call), withValue(invalid.get(call), entry)),
    addZoneException: (call, entry) => zones.set(ownText(call), withValue(zones.get(call), entry)),
  };
}
