/**
 * Keys and when they expire, in memory and shared through a table: asking and changing never waits for the database. What was
 * changed is written, and what others changed is read, whenever `sync` is called.
 */
import type { Clock, Moment } from "../clock.js";
import type { Duration, ExpiryStore, Merge } from "./expiry-store.js";

export interface SharedExpiriesOptions {
  /** Left out where this process shares with no other. */
  readonly store?: ExpiryStore | undefined;
  readonly merge: Merge;
  readonly clock: Clock;
  /** Keys in memory and rows of the table at most. Beyond that the key changed longest ago goes. */
  readonly maxKeys: number;
}

export interface SharedExpiries {
  /** How long a key lasts from now on; 0 where it has expired or never was. */
  remainingMs(key: string): number;
  /** Has a key last longer, as `merge` says. */
  extend(key: string, ms: number): void;
  /** Writes and reads. What could not be written is written the next time. */
  sync(): Promise<void>;
  /** Forgets what has expired, here and in the table. */
  prune(): Promise<void>;
  /** Keys in memory. */
  readonly size: number;
}

export function createSharedExpiries({
  store,
  merge,
  clock,
  maxKeys,
}: SharedExpiriesOptions): SharedExpiries {
  /** In the order of their last change. */
  const expiries = new Map<string, Moment>();
  /** What the table does not have yet. */
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
