/**
 * Prepared statements of libsql, cached and with converted values. Failed ones are reset.
 *
 * libsql aborts the process for a boolean parameter, and passes integers to SQLite as floating point: so every value is converted
 * first.
 *
 * libsql does not reset a statement that found the database locked, and has no function for it. Such a statement keeps the snapshot of
 * the connection, and makes commits fail ("SQL statements in progress"), until it is run again or collected as garbage. So writes only
 * run within a transaction, which has the lock, and reads are run again before the next statement.
 */
import { isBusy } from "./sqlite-errors.js";
import type { SqliteConnection, SqliteStatement, SqliteValue } from "./sqlite-library.js";

/** Cached prepared statements. The service has a few hundred; lists of values of any length could add more. */
const MAX_STATEMENTS = 500;

export interface SqliteStatements {
  /** Runs a statement that begins or ends a transaction. */
  control(statement: string): void;
  /** Runs any other. Writes need a transaction. */
  execute(sql: string, parameters: readonly unknown[]): StatementResult;
  /** @returns A function that reads one row. */
  reader(sql: string): () => unknown;
}

/** Rows, or the number of changed ones. */
export interface StatementResult {
  readonly rows: unknown[];
  readonly changes?: number;
}

interface Conversion {
  readonly column: string;
  readonly convert: (value: unknown) => unknown;
}

type Run = (parameters: readonly unknown[]) => StatementResult;

export function createStatements(database: SqliteConnection): SqliteStatements {
  const ready = new Map<string, Run>();
  /** Reads that failed. */
  const unfinished = new Set<() => unknown>();

  function read<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      unfinished.add(work);
      throw error;
    }
  }

  function finishReads(): void {
    for (const work of unfinished) {
      try {
        work();
      } catch (error) {
        if (isBusy(error)) throw error;
        // It ended with another error, which resets it.
      }
      unfinished.delete(work);
    }
  }

  function prepare(sql: string): Run {
    const statement = database.prepare(sql);
    const isReader = statement.columns.length > 0;
    const conversions = conversionsOf(statement);
    const isOfSchema = /^\s*(?:alter|create|drop)\b/i.test(sql);
    return (parameters) => {
      const values = parameters.map(toSqliteValue);
      if (isReader)
        return {
          rows: converted(
            read(() => statement.all(...values)),
            conversions,
          ),
        };
      const changes = statement.run(...values);
      // Prepared statements depend on the schema.
      if (isOfSchema) ready.clear();
      return { rows: [], changes };
    };
  }

  function prepared(sql: string): Run {
    const known = ready.get(sql);
    if (known !== undefined) return known;
    const run = prepare(sql);
    const [oldest] = ready.keys();
    if (ready.size >= MAX_STATEMENTS && oldest !== undefined) ready.delete(oldest);
    ready.set(sql, run);
    return run;
  }

  return {
    control(statement) {
      finishReads();
      // Not by a prepared statement, which would stay open if it finds a lock.
      database.exec(statement);
    },
    execute(sql, parameters) {
      if (unfinished.size > 0) finishReads();
      return prepared(sql)(parameters);
    },
    reader(sql) {
      const statement = database.prepare(sql);
      const get = () => statement.get();
      return () => read(get);
    },
  };
}

/** Whether a statement changes nothing. */
export function isRead(sql: string): boolean {
  // Most statements, as the query builder writes them.
  if (sql.startsWith("select ")) return true;
  if (sql.startsWith("insert ") || sql.startsWith("update ") || sql.startsWith("delete ")) return false;
  return /^\s*(?:select|pragma|with)\b/i.test(sql) && !/\b(?:insert into|update|delete from)\b/i.test(sql);
}

/** SQLite has booleans only as declared types; libsql returns blobs as `ArrayBuffer`, Node as `Uint8Array`. */
function conversionsOf({ columns }: SqliteStatement): Conversion[] {
  return columns.flatMap(({ name: column, type }) => {
    if (type?.toLowerCase() === "boolean") return { column, convert: (value) => value === 1 };
    return type?.toLowerCase() === "blob" ? { column, convert: toBuffer } : [];
  });
}

function toBuffer(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return Buffer.from(value);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

function converted(rows: unknown[], conversions: readonly Conversion[]): unknown[] {
  if (conversions.length > 0) {
    for (const row of rows as Record<string, unknown>[]) {
      for (const { column, convert } of conversions) {
        if (row[column] !== null) row[column] = convert(row[column]);
      }
    }
  }
  return rows;
}

function toSqliteValue(value: unknown): SqliteValue {
  if (value === null || typeof value === "string" || value instanceof Uint8Array) return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number" && Number.isFinite(value))
    return Number.isSafeInteger(value) ? BigInt(value) : value;
  throw new TypeError(`a value of type ${typeof value} can't be stored`);
}
