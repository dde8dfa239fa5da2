/**
 * Kysely's driver for libsql: one connection with exclusive use.
 *
 * libsql aborts the process for a boolean parameter, and passes integers to SQLite as floating point: so every value is converted
 * first.
 */
import { setTimeout as delay } from "node:timers/promises";

import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import type Libsql from "libsql";

import { DatabaseUnavailable } from "../database-errors.js";
import { createMutex, type Mutex, type MutexOptions } from "./mutex.js";

/** Cached prepared statements. The service has a few hundred; lists of values of any length could add more. */
const MAX_STATEMENTS = 500;
/** Longer than any transaction: a longer wait is a deadlock, a query outside the caller's own transaction. */
const MAX_WAIT_MS = 15_000;
/** How long writers of other processes are waited for. */
const MAX_BUSY_MS = 5000;

/** How long SQLite may block the event loop before network I/O gets a turn. */
const MAX_TURN_MS = 5;

/** A mutex for transactions or, with `maxTurnMs`, for all uses of the connection. */
export function createSqliteMutex(options: Pick<MutexOptions, "maxTurnMs"> = {}): Mutex {
  return createMutex({
    ...options,
    timeoutMs: MAX_WAIT_MS,
    onTimeout: () =>
      new DatabaseUnavailable({
        cause: new Error(`another transaction has not ended within ${MAX_WAIT_MS} ms`),
      }),
  });
}

/** @param database An open database; the driver closes it. */
export function createSqliteDriver(database: Libsql.Database): Driver {
  const mutex = createSqliteMutex({ maxTurnMs: MAX_TURN_MS });
  const connection = createConnection(database, mutex);
  const run = (statement: string) => whenFree(() => database.exec(statement));
  /** Lets other queries of this process run while another process writes. */
  const pause = async (pauseMs: number) => {
    mutex.unlock();
    await delay(pauseMs);
    await mutex.lock({ isPatient: true });
  };
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      await mutex.lock();
      return connection;
    },
    // Conflicts with writers of other processes occur here, and not later, where SQLite could only fail.
    beginTransaction: async () => void (await whenFree(() => database.exec("begin immediate"), pause)),
    commitTransaction: async () => void (await run("commit")),
    rollbackTransaction: async () => void (await run("rollback")),
    async releaseConnection() {
      mutex.unlock();
    },
    async destroy() {
      await mutex.lock();
      emptyLog(database);
      database.close();
    },
  };
}

/** Checkpoints the log into the file, best effort. */
function emptyLog(database: Libsql.Database): void {
  try {
    database.pragma("wal_checkpoint(truncate)");
  } catch {
    // The next process to open the file reads the log.
  }
}

interface Prepared {
  readonly statement: Libsql.Statement;
  /** Columns whose values need conversion. */
  readonly conversions: readonly Conversion[];
}

interface Conversion {
  readonly column: string;
  readonly convert: (value: unknown) => unknown;
}

/** @param mutex Held by the user of the connection. */
function createConnection(database: Libsql.Database, mutex: Pick<Mutex, "rest">): DatabaseConnection {
  const ready = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = ready.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, conversions: statement.reader ? conversionsOf(statement) : [] };
    const [oldest] = ready.keys();
    if (ready.size >= MAX_STATEMENTS && oldest !== undefined) ready.delete(oldest);
    ready.set(sql, prepared);
    return prepared;
  }

  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      // A transaction may have thousands of statements, which otherwise never yield.
      const rest = mutex.rest();
      if (rest !== undefined) await rest;
      const { statement, conversions } = prepare(sql);
      const values = parameters.map(toSqliteValue);
      if (statement.reader)
        return { rows: converted<Row>(await whenFree(() => statement.all(...values)), conversions) };
      const { changes } = await whenFree(() => statement.run(...values));
      // Prepared statements depend on the schema.
      if (/^(?:alter|create|drop)\b/i.test(sql)) ready.clear();
      return { rows: [], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new TypeError("streaming is not supported with SQLite: query pages instead");
    },
  };
}

/** Runs work, retrying while another process writes. SQLite's own busy timeout would block the event loop. */
async function whenFree<Result>(
  work: () => Result,
  pause: (pauseMs: number) => Promise<void> = delay,
): Promise<Result> {
  for (let waitedMs = 0; ;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= MAX_BUSY_MS) throw error;
      const pauseMs = Math.min(2 + waitedMs / 4, 50);
      await pause(pauseMs);
      waitedMs += pauseMs;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/** SQLite has booleans only as declared types; libsql returns blobs as `ArrayBuffer`. */
function conversionsOf(statement: Libsql.Statement): Conversion[] {
  return statement.columns().flatMap(({ name: column, type }) => {
    if (type?.toLowerCase() === "boolean") return { column, convert: (value) => value === 1 };
    return type?.toLowerCase() === "blob"
      ? { column, convert: (value) => (value instanceof ArrayBuffer ? Buffer.from(value) : value) }
      : [];
  });
}

function converted<Row>(rows: unknown[], conversions: readonly Conversion[]): Row[] {
  if (conversions.length > 0) {
    for (const row of rows as Record<string, unknown>[]) {
      for (const { column, convert } of conversions) {
        if (row[column] !== null) row[column] = convert(row[column]);
      }
    }
  }
  return rows as Row[];
}

function toSqliteValue(value: unknown): string | number | bigint | Uint8Array | null {
  if (value === null || typeof value === "string" || value instanceof Uint8Array) return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number" && Number.isFinite(value))
    return Number.isSafeInteger(value) ? BigInt(value) : value;
  throw new TypeError(`a value of type ${typeof value} can't be stored`);
}
