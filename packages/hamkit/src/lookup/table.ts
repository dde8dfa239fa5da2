/** Tables in memory: call exceptions, prefixes and lists of operations, each entry with its period. */
import { entriesOf, entriesOfKey, valueAt, withValue, type DatedValue, type Entry } from "./dated-entries.js";
import { includes, type EntityEntry, type TableSource, type TableContent } from "./source.js";
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

// A trie of prefixes, which finds the longest one in one pass over the text.
//
// The trie is one array of whole numbers: node n has its children at n * WIDTH + character. 0 means no child, because the root
// is the child of no node.

/** Characters of a prefix: "-", one that no callsign has, "/", 0-9, seven that no callsign has, A-Z. */
const FIRST = 45;
const WIDTH = 46;
export class PrefixTree<Value> {
  #children: Int32Array;
  readonly #values: (Value | undefined)[] = [undefined];
  #size = 0;

  /** @param nodes Initial number of nodes; it grows as needed. */
  constructor(nodes = 64) {
    this.#children = new Int32Array(nodes * WIDTH);
  }

  /** Number of texts with a value. */
  get size(): number {
    return this.#size;
  }

  /** The value of exactly this text. */
  get(text: string): Value | undefined {
    // Read once: before the code is optimized, each read of a private field is slow.
    const children = this.#children;
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      node = childIn(children, node, text.charCodeAt(index));
      if (node === 0) return undefined;
    }
    return this.#values[node];
  }

  set(text: string, value: Value): void {
    const node = this.#nodeOf(text);
    if (this.#values[node] === undefined) this.#size++;
    this.#values[node] = value;
  }

  /** Replaces a value by a function of it. */
  update(text: string, change: (present: Value | undefined) => Value): void {
    const node = this.#nodeOf(text);
    const present = this.#values[node];
    if (present === undefined) this.#size++;
    this.#values[node] = change(present);
  }

  #nodeOf(text: string): number {
    const children = this.#children;
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      const child = childIn(children, node, text.charCodeAt(index));
      if (child === 0) return this.#addBranch(node, text, index);
      node = child;
    }
    return node;
  }

  /** Adds the nodes of a text of which the trie has the first `known` characters. */
  #addBranch(parent: number, text: string, known: number): number {
    let node = parent;
    for (let index = known; index < text.length; index++) node = this.#addChild(node, text.charCodeAt(index));
    return node;
  }

  /**
   * The longest prefix of the text, of at least `minLength` characters, for whose value `pick` returns a result.
   */
  longest<Context, Found>(
    text: string,
    minLength: number,
    pick: (value: Value, context: Context) => Found | undefined,
    context: Context,
  ): { readonly found: Found; readonly length: number } | undefined {
    const children = this.#children;
    const values = this.#values;
    let node = 0;
    let best: Found | undefined;
    let length = 0;
    for (let index = 0; index < text.length; index++) {
      node = childIn(children, node, text.charCodeAt(index));
      if (node === 0) break;
      const value = values[node];
      if (value === undefined || index + 1 < minLength) continue;
      const found = pick(value, context);
      if (found === undefined) continue;
      best = found;
      length = index + 1;
    }
    return best === undefined ? undefined : { found: best, length };
  }

  /** All texts with their values, in the order of their characters. */
  *entries(): Generator<readonly [text: string, value: Value]> {
    yield* this.#below(0, "");
  }

  *#below(node: number, text: string): Generator<readonly [text: string, value: Value]> {
    const value = this.#values[node];
    if (value !== undefined) yield [text, value];
    for (let character = 0; character < WIDTH; character++) {
      const child = this.#children[node * WIDTH + character] ?? 0;
      if (child !== 0) yield* this.#below(child, text + String.fromCharCode(character + FIRST));
    }
  }

  #addChild(node: number, code: number): number {
    const child = this.#values.length;
    if ((child + 1) * WIDTH > this.#children.length) {
      const grown = new Int32Array(this.#children.length * 2);
      grown.set(this.#children);
      this.#children = grown;
    }
    this.#children[node * WIDTH + code - FIRST] = child;
    this.#values.push(undefined);
    return child;
  }
}

/** The child of a node at a character; 0 for none. */
function childIn(children: Int32Array, node: number, code: number): number {
  const character = code - FIRST;
  return character >= 0 && character < WIDTH ? (children[node * WIDTH + character] ?? 0) : 0;
}

// Detects incomplete files: they have no checksum, but most entries of one release are in the next.

/**
 * A warning with the number of entries of the previous release that are missing; `undefined` where none is.
 *
 * @param name The file, for messages.
 */
export function missingEntries(name: string, before: TableSource, after: TableSource): string | undefined {
  const old = keysOf(before.content());
  const kept = keysOf(after.content());
  const missing = [...old].filter((key) => !kept.has(key)).length;
  if (missing === 0) return undefined;
  return `${name}: ${missing} of the ${old.size} entries of ${before.name} are missing in ${after.name}`;
}

/** The keys of a table, each with its section. */
function keysOf({ calls, prefixes, invalidOperations = [], zoneExceptions = [], entities }: TableContent) {
  const keys = new Set<string>();
  for (const { key } of calls) keys.add(`call ${key}`);
  for (const { key } of prefixes) keys.add(`prefix ${key}`);
  for (const { key } of invalidOperations) keys.add(`invalid ${key}`);
  for (const { key } of zoneExceptions) keys.add(`zone ${key}`);
  for (const { adif } of entities) keys.add(`entity ${adif}`);
  return keys;
}
