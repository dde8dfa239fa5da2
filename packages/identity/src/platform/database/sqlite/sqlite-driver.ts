/**
 * Kysely's driver for libsql: one connection, which whoever uses it has for himself.
 *
 * libsql ends the whole process over a boolean among the parameters, and hands integers to SQLite as floating point: so every
 * value is looked at first.
 */
import { setTimeout as delay } from "node:timers/promises";

import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import type Libsql from "libsql";

import { DatabaseUnavailable } from "../database-errors.js";
import { createMutex, type Mutex, type MutexOptions } from "./mutex.js";

/** Statements that are kept ready. A service has a few hundred of them; lists of values of all lengths could make it more. */
const STATEMENTS = 500;
/** Longer than any transaction takes: who waits this long waits for himself, outside the transaction that he holds. */
const WAIT_MS = 15_000;
/** How long the writers of other processes are waited for. */
const BUSY_MS = 5000;

/** How long SQLite may keep the event loop busy before connections and answers get their turn. */
const MAX_TURN_MS = 5;

/** A lock for which transactions queue, or with `maxTurnMs` all that use the connection. */
export function createSqliteMutex(options: Pick<MutexOptions, "maxTurnMs"> = {}): Mutex {
  return createMutex({
    ...options,
    timeoutMs: WAIT_MS,
    onTimeout: () =>
      new DatabaseUnavailable({ cause: new Error(`another transaction has not ended within ${WAIT_MS} ms`) }),
  });
}

/** @param database An open database; the driver closes it. */
export function createSqliteDriver(database: Libsql.Database): Driver {
  const mutex = createSqliteMutex({ maxTurnMs: MAX_TURN_MS });
  const connection = createConnection(database, mutex);
  const run = (statement: string) => whenFree(() => database.exec(statement));
  /** Others of this process may read while another process writes. */
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
    // Writers of other processes are met here, not half-way, where SQLite could do nothing but give up.
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

/** What the statements hold open would keep the log from going into the file. Where it can't be written it stays as it is. */
function emptyLog(database: Libsql.Database): void {
  try {
    database.pragma("wal_checkpoint(truncate)");
  } catch {
    // SQLite reads the log where the file ends, whoever opens it next.
  }
}

interface Prepared {
  readonly statement: Libsql.Statement;
  /** Columns whose values are turned into JavaScript's, and how. */
  readonly conversions: readonly Conversion[];
}

interface Conversion {
  readonly column: string;
  readonly convert: (value: unknown) => unknown;
}

/** @param mutex Held by whoever uses the connection. */
function createConnection(database: Libsql.Database, mutex: Pick<Mutex, "rest">): DatabaseConnection {
  const ready = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = ready.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const prepared = { statement, conversions: statement.reader ? conversionsOf(statement) : [] };
    const [oldest] = ready.keys();
    if (ready.size >= STATEMENTS && oldest !== undefined) ready.delete(oldest);
    ready.set(sql, prepared);
    return prepared;
  }

  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      // A transaction may have thousands of statements, which never wait for anything but this.
      const rest = mutex.rest();
      if (rest !== undefined) await rest;
      const { statement, conversions } = prepare(sql);
      const values = parameters.map(toSqliteValue);
      if (statement.reader)
        return { rows: converted<Row>(await whenFree(() => statement.all(...values)), conversions) };
      const { changes } = await whenFree(() => statement.run(...values));
      // What is ready was made for the tables as they were.
      if (/^(?:alter|create|drop)\b/i.test(sql)) ready.clear();
      return { rows: [], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new TypeError("rows are not streamed from SQLite: ask for a page of them");
    },
  };
}

/** What work gives as soon as no other process writes. SQLite itself would wait with the whole process standing still. */
async function whenFree<Result>(
  work: () => Result,
  pause: (pauseMs: number) => Promise<void> = delay,
): Promise<Result> {
  for (let waitedMs = 0; ;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= BUSY_MS) throw error;
      const pauseMs = Math.min(2 + waitedMs / 4, 50);
      await pause(pauseMs);
      waitedMs += pauseMs;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/** Declared types are the only trace of booleans in SQLite; libsql gives bytes as an `ArrayBuffer`. */
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
