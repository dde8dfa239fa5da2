/** The database interface on SQLite, through Kysely. */
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

import { Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";

import {
  publishing,
  queriesOf,
  ASSUMED_CHANGES,
  createRevisions,
  type ColumnTypes,
  type Database,
  type DatabaseEvents,
  type Revisions,
  type EventStore,
} from "../database.js";
import { DatabaseUnavailable, OutcomeUnknown } from "../database-errors.js";
import { createSqliteDriver, createSqliteMutex } from "./sqlite-driver.js";
import { isBusy, toSqliteError } from "./sqlite-errors.js";
import { NO_FILE, watchSqliteFile } from "./sqlite-file.js";
import { openSqliteFile, type SqliteConnection } from "./sqlite-library.js";
import { createStatements } from "./sqlite-statements.js";
import { translatedDriver } from "../translated-driver.js";

const columnTypes: ColumnTypes = {
  text: "text",
  boolean: "boolean",
  integer: "integer",
  moment: "integer",
  bytes: "blob",
};

/** To which the log shrinks after a long read that made it grow. SQLite's own checkpoints keep it at some 4 MB. */
const MAX_LOG_BYTES = 8 << 20;

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
  `journal_size_limit = ${MAX_LOG_BYTES}`,
  // The first read creates the log.
  "schema_version",
  "busy_timeout = 0",
];

/** How long a migration waits for the write lock, as on PostgreSQL. */
const MIGRATION_WAIT_MS = 60_000;

/** @param path A file, or `:memory:`. */
export function openSqlite(
  path: string,
  { onMigrationWait, eventStore }: DatabaseEvents & { readonly eventStore?: EventStore | undefined } = {},
): Database {
  const database = openFile(path);
  const statements = createStatements(database);
  const readAnything = statements.reader("select count(*) from sqlite_schema");
  const file = path === ":memory:" ? NO_FILE : watchSqliteFile(path);
  const driver = createSqliteDriver({ database, statements, file });
  const kysely = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => translatedDriver(driver, toSqliteError),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const revisions = createRevisions();
  const notice = noticeOthers(statements.reader("pragma data_version"), revisions);
  // Transactions queue here, and only the first of them competes with reads for the connection: a read never waits for more
  // than one transaction.
  const writers = createSqliteMutex();
  const transaction: Database["transaction"] = async (work, { changes = ASSUMED_CHANGES } = {}) => {
    await writers.lock();
    try {
      const result = await kysely
        .transaction()
        .execute((queries) => publishing({ kysely: queries, kind: "sqlite", eventStore }, work));
      revisions.advance(changes);
      return result;
    } catch (error) {
      if (error instanceof OutcomeUnknown) revisions.advance(changes);
      throw error;
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
    alone: (work, options) =>
      options?.isMigration === true
        ? untilUnlocked(() => transaction(work, options), onMigrationWait)
        : transaction(work, options),
    revision(topic) {
      notice();
      return revisions.revision(topic);
    },
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    // Bypasses the queue of requests, which may wait for a writer of another process.
    async impairments() {
      try {
        readAnything();
        return await driver.impairments();
      } catch (error) {
        throw toSqliteError(error);
      }
    },
    close: () => kysely.destroy(),
  };
}

/** Repeats an attempt, which waits for the lock itself, while another process holds it. */
async function untilUnlocked<Result>(
  attempt: () => Promise<Result>,
  onWait: (() => void) | undefined,
): Promise<Result> {
  const deadline = performance.now() + MIGRATION_WAIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable && isBusy(error.cause))) throw error;
      if (performance.now() > deadline) throw stillLocked();
      if (isFirst) onWait?.();
    }
  }
}

function stillLocked(): DatabaseUnavailable {
  const reason = `another process has held the database's write lock for ${MIGRATION_WAIT_MS / 1000} s: the migration was given up`;
  return new DatabaseUnavailable({ cause: Object.assign(new Error(reason), { code: "SQLITE_BUSY" }) });
}

/**
 * Detects commits of other processes; SQLite does not report what changed. It costs 5 microseconds, also during a transaction,
 * so it runs once per turn of the event loop: a request sent after a commit was confirmed arrives in a later turn.
 */
function noticeOthers(read: () => unknown, revisions: Revisions): () => void {
  let known: unknown;
  let hasLooked = false;
  return () => {
    if (hasLooked) return;
    const version = dataVersion(read);
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

/** Changes with each commit of another process; `undefined` if it can't be read. */
function dataVersion(read: () => unknown): number | undefined {
  try {
    return (read() as { readonly data_version: number }).data_version;
  } catch {
    // Busy with recovery after a killed process, or closed.
    return undefined;
  }
}

function openFile(path: string): SqliteConnection {
  try {
    if (path !== ":memory:") createPrivately(path);
    const database = openSqliteFile(path);
    for (const pragma of PRAGMAS) database.exec(`pragma ${pragma}`);
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
