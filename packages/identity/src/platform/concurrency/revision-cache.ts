/** A cache whose entries are invalidated when the database's revision changes. */

export interface RevisionCacheOptions {
  /** A number that changes whenever cached data may be stale: `database.revision`. */
  readonly revision: () => number;
  /** Beyond this number the oldest entry is evicted. */
  readonly maxEntries: number;
}

export interface RevisionCache<Value> {
  /** The cached value, or that of `make`, which runs once for concurrent callers. */
  get(key: string, make: () => Promise<Value>): Promise<Value>;
}

interface Entry<Value> {
  readonly revision: number;
  readonly value: Promise<Value>;
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

  function invalidate(key: string, entry: Entry<Value>): void {
    if (entries.get(key) === entry) entries.delete(key);
  }

  function store(key: string, now: number, make: () => Promise<Value>): Promise<Value> {
    const entry = { revision: now, value: make() };
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    entry.value.then(
      (value) => keeps(value) || invalidate(key, entry),
      () => invalidate(key, entry),
    );
    return entry.value;
  }

  function get(key: string, make: () => Promise<Value>): Promise<Value> {
    // Read before `make` runs, so that a concurrent change invalidates the entry.
    const now = revision();
    const known = entries.get(key);
    if (known?.revision !== now) return store(key, now, make);
    if (isValid === undefined) return known.value;
    return known.value.then((value) => {
      if (isValid(value)) return value;
      invalidate(key, known);
      return get(key, make);
    });
  }

  return { get };
}
