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
  const entries = new Map<string, Promise<Value>>();
  /** Of the entries: those of an earlier one are never used again. */
  let current = revision();

  function invalidate(key: string, value: Promise<Value>): void {
    if (entries.get(key) === value) entries.delete(key);
  }

  function store(key: string, value: Promise<Value>): Promise<Value> {
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    value.then(
      (each) => keeps(each) || invalidate(key, value),
      () => invalidate(key, value),
    );
    return value;
  }

  function get(key: string, make: () => Promise<Value>): Promise<Value> {
    // Read before `make` runs, so that a concurrent change invalidates the entry.
    const now = revision();
    if (now !== current) entries.clear();
    current = now;
    const known = entries.get(key);
    if (known === undefined) {
      const value = make();
      // A change that it saw itself has cleared the cache already.
      return now === current ? store(key, value) : value;
    }
    if (isValid === undefined) return known;
    return known.then((value) => {
      if (isValid(value)) return value;
      invalidate(key, known);
      return get(key, make);
    });
  }

  return { get };
}
