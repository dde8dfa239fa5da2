/**
 * Keys with expiry times, in memory and shared through a table. Reads and changes never wait for the database: `sync` writes own
 * changes and reads those of other processes.
 */
import type { Clock, Moment } from "../clock.js";
import type { Duration, ExpiryStore, Merge } from "./expiry-store.js";

export interface SharedExpiriesOptions {
  /** `undefined` for a single process. */
  readonly store?: ExpiryStore | undefined;
  readonly merge: Merge;
  readonly clock: Clock;
  /** Keys in memory, and rows of the table. Beyond that the least recently changed key is evicted. */
  readonly maxKeys: number;
}

export interface SharedExpiries {
  /** The remaining time of a key; 0 if expired or unknown. */
  remainingMs(key: string): number;
  /** Extends a key, by the rule of `merge`. */
  extend(key: string, ms: number): void;
  /** Writes changes, and reads those of others. A failed write is repeated the next time. */
  sync(): Promise<void>;
  /** Deletes expired keys from memory and table. */
  prune(): Promise<void>;
  readonly size: number;
}

export function createSharedExpiries({
  store,
  merge,
  clock,
  maxKeys,
}: SharedExpiriesOptions): SharedExpiries {
  /** In order of last change. */
  const expiries = new Map<string, Moment>();
  /** Changes to write at the next `sync`. */
  let unwritten = new Map<string, number>();
  let readUntil: Moment | undefined;

  const merged = (left: number, right: number) => (merge === "sum" ? left + right : Math.max(left, right));

  function put<Value>(map: Map<string, Value>, key: string, value: Value): void {
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > maxKeys && oldest !== undefined) map.delete(oldest);
  }

  function remainingMs(key: string): number {
    return Math.max(0, (expiries.get(key) ?? 0) - clock.now());
  }

  function take(page: readonly Duration[]): void {
    const now = clock.now();
    for (const { id, ms } of page) put(expiries, id, now + merged(ms, unwritten.get(id) ?? 0));
  }

  async function write(to: ExpiryStore): Promise<void> {
    const batch = unwritten;
    unwritten = new Map();
    try {
      await to.write([...batch].map(([id, ms]) => ({ id, ms })));
    } catch (error) {
      for (const [key, ms] of batch) put(unwritten, key, merged(unwritten.get(key) ?? 0, ms));
      throw error;
    }
  }

  return {
    remainingMs,
    extend(key, ms) {
      put(expiries, key, clock.now() + merged(remainingMs(key), ms));
      if (store !== undefined) put(unwritten, key, merged(unwritten.get(key) ?? 0, ms));
    },
    async sync() {
      if (store === undefined) return;
      if (unwritten.size > 0) await write(store);
      readUntil = await store.readChanges(readUntil, take);
    },
    async prune() {
      const now = clock.now();
      for (const [key, expiresAt] of expiries) if (expiresAt <= now) expiries.delete(key);
      await store?.prune(maxKeys);
    },
    get size() {
      return expiries.size;
    },
  };
}
