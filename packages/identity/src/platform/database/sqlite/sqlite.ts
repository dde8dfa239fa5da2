/** The database interface on SQLite, through Kysely and libsql. */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

import { Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import Libsql from "libsql";

import { queriesOf, type ColumnTypes, type Database } from "../database.js";
import { DatabaseUnavailable } from "../database-errors.js";
import { ASSUMED_CHANGES, createRevisions, type Revisions } from "../revisions.js";
import { createSqliteDriver, createSqliteMutex } from "./sqlite-driver.js";
import { toSqliteError } from "./sqlite-errors.js";
import { translatedDriver } from "../translated-driver.js";

const columnTypes: ColumnTypes = {
  text: "text",
  boolean: "boolean",
  integer: "integer",
  moment: "integer",
  bytes: "blob",
};

/**
 * Durability after a power failure (WAL synced at each commit), foreign keys, and LIKE as in PostgreSQL. Opening waits for other
 * processes; later the driver does, without blocking.
 */
const PRAGMAS = [
  "busy_timeout = 5000",
  "journal_mode = wal",
  "synchronous = full",
  "foreign_keys = on",
  "case_sensitive_like = on",
  "trusted_schema = off",
  "busy_timeout = 0",
];

/** @param path A file, or `:memory:`. */
export function openSqlite(path: string): Database {
  const database = openFile(path);
  const kysely = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => translatedDriver(createSqliteDriver(database), toSqliteError),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const revisions = createRevisions();
  const notice = noticeOthers(database, revisions);
  // Transactions queue here, and only the first of them competes with reads for the connection: a read never waits for more
  // than one transaction.
  const writers = createSqliteMutex();
  const transaction: Database["transaction"] = async (work, { changes = ASSUMED_CHANGES } = {}) => {
    await writers.lock();
    try {
      const result = await kysely.transaction().execute((queries) => work(queriesOf(queries)));
      revisions.advance(changes);
      return result;
    } finally {
      writers.unlock();
    }
  };

  return {
    kind: "sqlite",
    columnTypes,
    ...queriesOf(kysely),
    forLists: queriesOf(kysely),
    transaction,
    // SQLite has a single writer.
    alone: transaction,
    revision(topic) {
      notice();
      return revisions.revision(topic);
    },
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    // Bypasses the queue of requests, which may wait for a writer of another process.
    async impairments() {
      readAnything(database);
      return Promise.resolve([]);
    },
    close: () => kysely.destroy(),
  };
}

/**
 * Detects commits of other processes; SQLite does not report what changed. It costs 5 microseconds, also during a transaction,
 * so it runs once per turn of the event loop: a request sent after a commit was confirmed arrives in a later turn.
 */
function noticeOthers(database: Libsql.Database, revisions: Revisions): () => void {
  const statement = database.prepare("pragma data_version");
  let known: unknown;
  let hasLooked = false;
  return () => {
    if (hasLooked) return;
    const version = dataVersion(statement);
    if (version === undefined || version !== known) revisions.advance();
    known = version;
    // If unknown, assume a change each time.
    if (version === undefined) return;
    hasLooked = true;
    setImmediate(() => {
      hasLooked = false;
    });
  };
}

/** @throws {DatabaseUnavailable} */
function readAnything(database: Libsql.Database): void {
  try {
    database.prepare("select count(*) from sqlite_schema").get();
  } catch (error) {
    throw toSqliteError(error);
  }
}

/** Changes with each commit of another process; `undefined` if it can't be read. */
function dataVersion(statement: Libsql.Statement): number | undefined {
  try {
    return (statement.get() as { readonly data_version: number }).data_version;
  } catch {
    // Busy with recovery after a killed process, or closed.
    return undefined;
  }
}

function openFile(path: string): Libsql.Database {
  try {
    if (path !== ":memory:") createPrivately(path);
    const database = new Libsql(path);
    for (const pragma of PRAGMAS) database.pragma(pragma);
    return database;
  } catch (cause) {
    throw new DatabaseUnavailable({ cause });
  }
}

/** SQLite creates the log files with the mode of this file. */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "ax", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
