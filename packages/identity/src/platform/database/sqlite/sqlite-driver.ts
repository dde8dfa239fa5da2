/** Kysely's driver for SQLite: one connection with exclusive use. Whatever fails leaves it without a transaction or open statement. */
import { setTimeout as delay } from "node:timers/promises";

import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";

import { UnavailableError } from "../../errors.js";
import { DatabaseUnavailable, OutcomeUnknown } from "../database-errors.js";
import { createMutex, type Mutex, type MutexOptions } from "./mutex.js";
import { describeSqliteError, isBusy, isStorageFailure } from "./sqlite-errors.js";
import type { SqliteFile } from "./sqlite-file.js";
import type { SqliteConnection } from "./sqlite-library.js";
import { isRead, type SqliteStatements, type StatementResult } from "./sqlite-statements.js";

/** Longer than any transaction: a longer wait is a deadlock, a query outside the caller's own transaction. */
const MAX_WAIT_MS = 15_000;

/** How long SQLite may block the event loop before network I/O gets a turn. */
const MAX_TURN_MS = 5;

/** A lock that writes found for less is not reported: others write too. */
const LONG_LOCK_MS = 2000;
/** How long a readiness check tries to write before it reports a longer one. */
const CHECK_MS = 500;
const CHECK_PAUSE_MS = 20;

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

export interface SqliteDriver extends Driver {
  /** Why writes fail, in sentences; none if they don't. It does not wait for running queries. */
  impairments(): Promise<readonly string[]>;
}

export interface SqliteDriverDeps {
  /** Open; the driver closes it. */
  readonly database: SqliteConnection;
  readonly statements: SqliteStatements;
  readonly file: SqliteFile;
}

export function createSqliteDriver({ database, statements, file }: SqliteDriverDeps): SqliteDriver {
  const mutex = createSqliteMutex({ maxTurnMs: MAX_TURN_MS });
  /** Of the last write, if it failed. */
  let writeFailure: string | undefined;
  const lock = createSqliteLock(async (pauseMs) => {
    mutex.unlock();
    await delay(pauseMs);
    await mutex.lock({ isPatient: true });
  });

  /** libsql aborts the process if the database is closed. */
  const isInTransaction = () => database.isOpen && database.isInTransaction;

  /** Runs what changes the database. */
  async function change<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isStorageFailure(error)) writeFailure = describeSqliteError(error);
      throw error;
    }
  }

  /** Conflicts with writers of other processes occur here, and not later, where SQLite could only fail. */
  async function begin(): Promise<void> {
    requireFile();
    await change(() => lock.whenFree(() => statements.control("begin immediate")));
    lock.noteFree();
  }

  async function commit(): Promise<void> {
    await change(() => lock.whenFree(() => statements.control("commit")));
    writeFailure = undefined;
    requireStored();
  }

  function requireFile(): void {
    const fault = file.fault();
    if (fault !== undefined) throw new DatabaseUnavailable({ cause: new Error(fault) });
  }

  /** Without it, the last changes before the file was replaced would be acknowledged, and lost. */
  function requireStored(): void {
    const fault = file.fault();
    if (fault !== undefined) throw new OutcomeUnknown({ cause: new Error(fault) });
  }

  function rollBack(): void {
    if (isInTransaction()) database.exec("rollback");
  }

  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      // A transaction may have thousands of statements, which otherwise never yield.
      const rest = mutex.rest();
      if (rest !== undefined) await rest;
      const { rows, changes } = await execute(sql, parameters);
      return changes === undefined
        ? { rows: rows as Row[] }
        : { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new TypeError("streaming is not supported with SQLite: query pages instead");
    },
  };

  async function execute(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const work = () => statements.execute(sql, parameters);
    if (isRead(sql)) return isInTransaction() ? work() : lock.whenFree(work);
    if (isInTransaction()) return change(async () => work());
    await begin();
    try {
      const result = await change(async () => work());
      await commit();
      return result;
    } finally {
      rollBack();
    }
  }

  /** Tries to begin and end a transaction, which writes nothing to the disk. */
  function tryToWrite(): void {
    // Its own transaction has the lock.
    if (isInTransaction()) return;
    try {
      statements.control("begin immediate");
      statements.control("commit");
      lock.noteFree();
    } finally {
      rollBack();
    }
  }

  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      await mutex.lock();
      return connection;
    },
    beginTransaction: begin,
    commitTransaction: commit,
    rollbackTransaction: async () => rollBack(),
    async releaseConnection() {
      try {
        rollBack();
      } finally {
        mutex.unlock();
      }
    },
    async destroy() {
      await mutex.lock();
      // Closing deletes the log at the path, which may be that of the file that is there now.
      if (file.fault() !== undefined) return;
      emptyLog(database);
      database.close();
    },
    async impairments() {
      const fault = file.fault();
      if (fault !== undefined) throw new UnavailableError(fault);
      for (let waitedMs = 0; ; waitedMs += CHECK_PAUSE_MS) {
        const failure = failureOf(tryToWrite);
        if (failure === undefined)
          return writeFailure === undefined
            ? []
            : [`The last change of the database failed: ${writeFailure}.`];
        if (isStorageFailure(failure))
          return [`The database can't be changed: ${describeSqliteError(failure)}.`];
        if (!isBusy(failure)) throw failure;
        lock.noteLocked();
        const lockedMs = lock.lockedMs() ?? 0;
        if (lockedMs < LONG_LOCK_MS) return [];
        if (waitedMs >= CHECK_MS)
          return [
            `Another process has had the database's write lock for ${Math.round(lockedMs / 1000)} s: changes wait for it, and are refused.`,
          ];
        await delay(CHECK_PAUSE_MS);
      }
    },
  };
}

/** @returns `undefined` if it does not fail. */
function failureOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Checkpoints the log into the file, best effort. */
function emptyLog(database: SqliteConnection): void {
  try {
    database.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // The next process to open the file reads the log.
  }
}

/** How long a lock is waited for. */
const MAX_BUSY_MS = 5000;
/** The wait of those who come once it was waited for in vain: they would queue up behind each other. */
const MAX_WAIT_WHILE_LOCKED_MS = 250;
const MAX_PAUSE_MS = 50;

export interface SqliteLock {
  /** Runs work, and repeats it while another process holds a lock. */
  whenFree<Result>(work: () => Result): Promise<Result>;
  /** How long writes have found the database locked; `undefined` if the last one did not. */
  lockedMs(): number | undefined;
  /** Reports a write that found no lock. */
  noteFree(): void;
  /** Reports one that did. */
  noteLocked(): void;
}

/** @param pause Lets other queries of this process run. */
function createSqliteLock(pause: (pauseMs: number) => Promise<void>): SqliteLock {
  let lockedSince: number | undefined;
  const lockedMs = () => (lockedSince === undefined ? undefined : performance.now() - lockedSince);
  const noteLocked = () => void (lockedSince ??= performance.now());
  return {
    lockedMs,
    noteLocked,
    noteFree: () => void (lockedSince = undefined),
    async whenFree(work) {
      const hasWaitedInVain = (lockedMs() ?? 0) >= MAX_BUSY_MS;
      const maxWaitMs = hasWaitedInVain ? MAX_WAIT_WHILE_LOCKED_MS : MAX_BUSY_MS;
      for (let waitedMs = 0; ;) {
        try {
          return work();
        } catch (error) {
          if (!isBusy(error)) throw error;
          noteLocked();
          if (waitedMs >= maxWaitMs) throw error;
          const pauseMs = Math.min(2 + waitedMs / 4, MAX_PAUSE_MS);
          await pause(pauseMs);
          waitedMs += pauseMs;
        }
      }
    },
  };
}
