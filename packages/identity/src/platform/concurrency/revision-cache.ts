/** A cache whose entries are invalidated when the database's revision changes. */
import { andThen } from "./and-then.js";

export interface RevisionCacheOptions {
  /** A number that changes whenever cached data may be stale: `database.revision`. */
  readonly revision: () => number;
  /** Beyond this number the oldest entry is evicted. */
  readonly maxEntries: number;
}

export interface RevisionCache<Value> {
  /** The cached value, or a promise of that of `make`, which runs once for concurrent callers. */
  get(key: string, make: () => Promise<Value>): Value | Promise<Value>;
}

interface Entry<Value> {
  value: Value | Promise<Value>;
}

/**
 * @param options.keeps Whether to cache a value; by default all.
 * @param options.isValid Whether a cached value is still valid, checked on each hit: for values that expire.
 */
export function createRevisionCache<Value>({
  revision,
  maxEntries,
  keeps = () => true,
  isValid,
}: RevisionCacheOptions & {
  readonly keeps?: (value: Value) => boolean;
  readonly isValid?: (value: Value) => boolean;
}): RevisionCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  /** Of the entries: those of an earlier one are never used again. */
  let current = revision();

  function invalidate(key: string, entry: Entry<Value>): void {
    if (entries.get(key) === entry) entries.delete(key);
  }

  function store(key: string, made: Promise<Value>): Promise<Value> {
    const entry: Entry<Value> = { value: made };
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    made.then(
      (value) => {
        entry.value = value;
        return keeps(value) || invalidate(key, entry);
      },
      () => invalidate(key, entry),
    );
    return made;
  }

  function get(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    // Read before `make` runs, so that a concurrent change invalidates the entry.
    const now = revision();
    if (now !== current) entries.clear();
    current = now;
    const known = entries.get(key);
    if (known === undefined) {
      const made = make();
      // A change that it saw itself has cleared the cache already.
      return now === current ? store(key, made) : made;
    }
    if (isValid === undefined) return known.value;
    return andThen(known.value, (value) => {
      if (isValid(value)) return value;
      invalidate(key, known);
      return get(key, make);
    });
  }

  return { get };
}
