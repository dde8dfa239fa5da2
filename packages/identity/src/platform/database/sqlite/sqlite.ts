/** SQLite through libsql: a file of the service's own, with no server. */
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
 * What makes a file that survives a power cut (a log that is written through at each commit), keeps its references, and
 * compares in LIKE as PostgreSQL does. Opening waits for other processes; later the driver does, without stopping this one.
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
  // Transactions wait for each other here, and only the first of them with the reads for the connection: a read never waits
  // for more than one transaction, however many are queued.
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
    transaction,
    // SQLite has one writer at a time anyway.
    alone: transaction,
    revision(topic) {
      notice();
      return revisions.revision(topic);
    },
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    // Past the queue of requests, which may wait for another process that writes; reading waits for none.
    async impairments() {
      readAnything(database);
      return Promise.resolve([]);
    },
    close: () => kysely.destroy(),
  };
}

/**
 * Looks whether another process has committed anything, which SQLite says without what it was. It costs 5 microseconds, also
 * in the midst of a transaction, so it is done once for all requests that are worked on in one turn: what comes after a
 * commit that somebody has heard of comes in a later one.
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
    // While it can't be told, each question is answered as if something had changed.
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

/** Another number than before where others have written since; `undefined` where the file doesn't say. */
function dataVersion(statement: Libsql.Statement): number | undefined {
  try {
    return (statement.get() as { readonly data_version: number }).data_version;
  } catch {
    // Busy with what a process left behind that was killed, or closed. Who asks next is told that anything may have changed.
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

/** SQLite gives the files beside this one, its log, the same mode. */
function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "ax", 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
