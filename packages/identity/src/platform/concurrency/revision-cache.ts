/** Remembers what was worked out, for as long as nothing it rests on has changed. */

export interface RevisionCacheOptions {
  /** A number that is another one as soon as something may have changed: `database.revision`. */
  readonly revision: () => number;
  /** What is kept at most; beyond that the oldest goes. */
  readonly maxEntries: number;
}

export interface RevisionCache<Value> {
  /** What is remembered under a key, or else what `make` finds out, once for all who ask at the same time. */
  get(key: string, make: () => Promise<Value>): Promise<Value>;
}

interface Entry<Value> {
  readonly revision: number;
  readonly value: Promise<Value>;
}

/**
 * @param options.keeps Whether a value is worth remembering; all are when left out.
 * @param options.isGood Whether a value still holds, asked each time it would be given again: for what ends by itself.
 */
export function createRevisionCache<Value>({
  revision,
  maxEntries,
  keeps = () => true,
  isGood,
}: RevisionCacheOptions & {
  readonly keeps?: (value: Value) => boolean;
  readonly isGood?: (value: Value) => boolean;
}): RevisionCache<Value> {
  const entries = new Map<string, Entry<Value>>();

  function forget(key: string, entry: Entry<Value>): void {
    if (entries.get(key) === entry) entries.delete(key);
  }

  function remember(key: string, now: number, make: () => Promise<Value>): Promise<Value> {
    const entry = { revision: now, value: make() };
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    entry.value.then(
      (value) => keeps(value) || forget(key, entry),
      () => forget(key, entry),
    );
    return entry.value;
  }

  function get(key: string, make: () => Promise<Value>): Promise<Value> {
    // Asked before anything is read: what changes meanwhile makes the entry stale from its beginning.
    const now = revision();
    const known = entries.get(key);
    if (known?.revision !== now) return remember(key, now, make);
    if (isGood === undefined) return known.value;
    return known.value.then((value) => {
      if (isGood(value)) return value;
      forget(key, known);
      return get(key, make);
    });
  }

  return { get };
}
