/**
 * Keys with expiry times, in memory and shared through a table. Reads and changes never wait for the database: `sync` writes own
 * changes and reads those of other processes.
 */
import { sql, type RawBuilder } from "kysely";

import type { Clock, Moment } from "../clock.js";
import type { Database } from "../database/database.js";

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

/** `sum`: a write adds to the remaining time of the key. `latest`: the later expiry wins. */
export type Merge = "sum" | "latest";

export interface ExpiryStoreOptions {
  readonly database: Database;
  /** With the columns `id`, `expires_at` and `updated_at`. */
  readonly table: "login_failure" | "known_login";
  readonly merge: Merge;
  /** The time of a statement: {@link databaseNow} or {@link clockNow}. */
  readonly now: () => RawBuilder<Moment>;
}

/** The remaining time of a key. */
export interface Duration {
  readonly id: string;
  readonly ms: number;
}

/**
 * Keys with expiry times in a table shared by all workers and replicas. All times are by the database's clock: processes write and read
 * remaining durations, so clock skew has no effect.
 */
export interface ExpiryStore {
  write(durations: readonly Duration[]): Promise<void>;
  /**
   * Reads keys written since an earlier call, page by page, without expired ones.
   *
   * @param since The result of the previous call; `undefined` reads everything.
   * @returns `since` for the next call.
   */
  readChanges(since: Moment | undefined, onPage: (page: readonly Duration[]) => void): Promise<Moment>;
  /** Deletes expired rows, and beyond `maxRows` those that expire first; at most {@link PRUNED_ROWS} each per call. */
  prune(maxRows: number): Promise<void>;
}

/** Rows per statement. Batch sizes are powers of two, to limit the number of prepared statements. */
const MAX_BATCH = 128;
const PAGE_ROWS = 1000;
const PRUNED_ROWS = 2500;
/** Overlap of reads: longer than a write takes to become visible. */
const OVERLAP_MS = 5000;

/** The clock of the database server; with SQLite that of this process. */
export function databaseNow({ kind }: Database, clock: Clock): () => RawBuilder<Moment> {
  return kind === "postgres"
    ? () => sql<Moment>`(extract(epoch from statement_timestamp()) * 1000)::bigint`
    : clockNow(clock);
}

/** The clock of this process. */
export function clockNow(clock: Clock): () => RawBuilder<Moment> {
  return () => sql<Moment>`cast(${Math.round(clock.now())} as bigint)`;
}

/** Portable form of `greatest` (PostgreSQL) and `max` (SQLite). */
function later(left: RawBuilder<Moment>, right: RawBuilder<Moment>): RawBuilder<Moment> {
  return sql<Moment>`case when ${left} > ${right} then ${left} else ${right} end`;
}

export function createExpiryStore({ database, table, merge, now }: ExpiryStoreOptions): ExpiryStore {
  const queries = database.tables<unknown>();
  const name = sql.table(table);
  const known = sql<Moment>`${name}.expires_at`;
  const written = sql<Moment>`excluded.expires_at`;
  const merged =
    merge === "latest"
      ? later(known, written)
      : sql<Moment>`(${later(known, sql`excluded.updated_at`)}) + ${written} - excluded.updated_at`;

  async function writeBatch(batch: readonly Duration[]): Promise<void> {
    const rows = batch.map(({ id, ms }) => sql`(${id}, ${now()} + cast(${ms} as bigint), ${now()})`);
    await sql`insert into ${name} (id, expires_at, updated_at) values ${sql.join(rows)}
      on conflict (id) do update set expires_at = ${merged}, updated_at = excluded.updated_at`.execute(
      queries,
    );
  }

  async function readPage(from: Moment, after: Row | undefined): Promise<readonly Row[]> {
    const start =
      after === undefined
        ? sql`updated_at >= ${from}`
        : sql`(updated_at > ${after.updated_at} or (updated_at = ${after.updated_at} and id > ${after.id}))`;
    const { rows } = await sql<Row>`select id, updated_at, expires_at - ${now()} as ms from ${name}
      where ${start} and expires_at > ${now()} order by updated_at, id limit ${sql.lit(PAGE_ROWS)}`.execute(
      queries,
    );
    return rows;
  }

  return {
    async write(durations) {
      // One order in all processes prevents deadlocks.
      const sorted = durations.toSorted((left, right) => (left.id < right.id ? -1 : 1));
      for (let start = 0; start < sorted.length;) {
        const size = Math.min(MAX_BATCH, 2 ** Math.floor(Math.log2(sorted.length - start)));
        await writeBatch(sorted.slice(start, start + size));
        start += size;
      }
    },
    async readChanges(since, onPage) {
      const { rows: times } = await sql<{ moment: Moment }>`select ${now()} as moment`.execute(queries);
      const moment = times[0]?.moment ?? 0;
      // After the database's clock was set back, rows have earlier times than `since`.
      const from = Math.min(since ?? 0, moment) - OVERLAP_MS;
      for (let after: Row | undefined; ;) {
        const page = await readPage(from, after);
        onPage(page);
        after = page.at(-1);
        if (page.length < PAGE_ROWS) return moment;
      }
    },
    async prune(maxRows) {
      const limit = sql.lit(PRUNED_ROWS);
      await sql`delete from ${name} where id in
        (select id from ${name} where expires_at <= ${now()} order by expires_at limit ${limit})`.execute(
        queries,
      );
      await sql`delete from ${name} where id in
        (select id from ${name} order by expires_at desc limit ${limit} offset ${sql.lit(maxRows)})`.execute(
        queries,
      );
    },
  };
}

interface Row extends Duration {
  readonly updated_at: Moment;
}
