/** The database interface on PostgreSQL, through Kysely and `pg`. */
import { setTimeout as delay } from "node:timers/promises";

import { type Kysely, PostgresDriver, sql } from "kysely";

import {
  ORDERED_BY,
  publishing,
  queriesOf,
  ASSUMED_CHANGES,
  createRevisions,
  type ColumnTypes,
  type Database,
  type DatabaseEvents,
  type RetryReason,
  type EventStore,
  type Topic,
} from "../database.js";
import {
  DatabaseUnavailable,
  OutcomeUnknown,
  ReadOnlyServer,
  SerializationFailure,
} from "../database-errors.js";
import { announce, listenForNotices, type NoticeListener } from "./notices.js";
import { parsePostgresAddress } from "./postgres-address.js";
import { toPostgresError } from "./postgres-errors.js";
import { createPostgresHosts } from "./hosts/postgres-hosts.js";
import { createKysely } from "../translated-driver.js";
import { DEFAULT_CONNECTION_SETTINGS, type ConnectionSettings } from "./connection-settings.js";
import { createPostgresPools } from "./postgres-pools.js";
import { openListQueries, type ListQueries, type StandbySettings } from "./standbys/list-queries.js";

/** A transaction that conflicts with others is repeated so often and so long, with at most such pauses. */
const MIN_ATTEMPTS = 8;
const RETRY_MS = 5000;
const MAX_RETRY_PAUSE_MS = 250;
/** Retries on another connection after the server refused to write: one to find the primary, one that it may take. */
const MAX_READ_ONLY = 2;
/** The advisory locks of {@link Database.alone}: an arbitrary, unique number. */
const ALONE_LOCK = 0x1d_e4_71_7e;
/** How long {@link Database.alone} waits for others. */
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 1000;
/**
 * How long a migration waits for the lock of a table, and pauses before the next attempt. Requests that need the table queue behind
 * it: less than they wait for a lock themselves.
 */
const MIGRATION_LOCK_MS = 1500;
const MIGRATION_PAUSE_MS = 500;

const columnTypes: ColumnTypes = {
  text: sql`text collate "C"`,
  boolean: "boolean",
  integer: "integer",
  moment: "bigint",
  bytes: "bytea",
};

export interface PostgresOptions extends DatabaseEvents {
  /** {@link DEFAULT_CONNECTION_SETTINGS} by default. */
  readonly limits?: ConnectionSettings | undefined;
  /** Stores what transactions publish; events are dropped without it. */
  readonly eventStore?: EventStore | undefined;
  /** Standbys that lists may be read from, if they are at most so far behind. */
  readonly standbys?: StandbySettings | undefined;
}

/** Connects at the first query, and listens for notifications from the first use of `revision` on. */
export function openPostgres(url: string, options: PostgresOptions): Database {
  const {
    limits = DEFAULT_CONNECTION_SETTINGS,
    onConnectionLost,
    onFailover,
    onPooler,
    onRetry,
    onMigrationWait,
    eventStore,
  } = options;
  const hosts = createPostgresHosts(parsePostgresAddress(url), { connectMs: limits.connectMs, onFailover });
  const onLost = (error: Error) => onConnectionLost?.(error);
  const pools = createPostgresPools({ hosts, limits, onConnectionLost: onLost });
  const kysely = createKysely(new PostgresDriver({ pool: pools }));
  const revisions = createRevisions();
  let listener: NoticeListener | undefined;
  const listen = () =>
    (listener ??= listenForNotices(hosts, {
      onChange(topics) {
        revisions.advance(topics);
        lists?.noteChange();
      },
      onLost,
      onPooler: () => onPooler?.(),
    }));
  const lists: ListQueries | undefined =
    options.standbys &&
    openListQueries({
      ...options,
      settings: options.standbys,
      limits,
      hosts,
      primary: kysely,
      hearsChanges: () => listen().hearsNotices(),
    });

  /** Advances revisions after a change, also if its outcome is unknown. */
  async function advancing<Result>(changes: readonly Topic[], work: () => Promise<Result>): Promise<Result> {
    if (pools.isUnconfirmed()) throw notConfirming();
    try {
      const result = await work();
      noteChange(changes);
      return result;
    } catch (error) {
      if (error instanceof OutcomeUnknown) noteChange(changes);
      throw error;
    }
  }

  function noteChange(changes: readonly Topic[]): void {
    revisions.advance(changes);
    lists?.noteChange();
  }

  /** Without topics a notification only concerns standbys. */
  async function notify(queries: Kysely<unknown>, changes: readonly Topic[]): Promise<void> {
    if (changes.length > 0 || lists !== undefined) await announce(queriesOf(queries), changes);
  }

  return {
    kind: "postgres",
    columnTypes,
    ...queriesOf(kysely),
    forLists: lists?.queries ?? queriesOf(kysely),
    transaction(work, { changes = ASSUMED_CHANGES } = {}) {
      const transaction = kysely.transaction().setIsolationLevel("serializable");
      return advancing(changes, () =>
        retried(
          () =>
            transaction.execute(async (queries) => {
              await waitForOthers(queries, changes);
              const worked = await publishing({ kysely: queries, kind: "postgres", eventStore }, work);
              await notify(queries, changes);
              return worked;
            }),
          onRetry,
        ),
      );
    },
    // Not serializable: it must see what was committed while it waited for the lock.
    alone(work, { changes = ASSUMED_CHANGES, isImpatient = false, isMigration = false, subject } = {}) {
      const transaction = kysely.transaction().setIsolationLevel("read committed");
      const attempt = () =>
        transaction.execute(async (queries) => {
          // Also to wait for a migration of another process, which may take longer than statements of requests.
          if (isMigration) await setLocal(queries, "statement_timeout", 0);
          await setLocal(queries, "lock_timeout", isImpatient ? IMPATIENT_MS : PATIENT_MS);
          const lock = subject === undefined ? [] : [sql`hashtext(${subject})`];
          await sql`select pg_advisory_xact_lock(${sql.join([sql.lit(ALONE_LOCK), ...lock])})`.execute(
            queries,
          );
          if (isMigration) await setLocal(queries, "lock_timeout", MIGRATION_LOCK_MS);
          await waitForOthers(queries, changes);
          const worked = await publishing({ kysely: queries, kind: "postgres", eventStore }, work);
          await notify(queries, changes);
          return worked;
        });
      return advancing(changes, () => (isMigration ? untilUnlocked(attempt, onMigrationWait) : attempt()));
    },
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    async impairments() {
      const hears = listener?.isUpToDate() ?? true;
      const found = hears ? pools.impairments() : [...pools.impairments(), DEAF];
      try {
        const fault = await pools.check();
        return fault === undefined ? found : [...found, fault];
      } catch (error) {
        // Cached responses can still be served.
        if (listener?.isUpToDate()) return [...found, "The database does not answer checks."];
        throw toPostgresError(error);
      }
    },
    poolUse: () => pools.use(),
    revision(topic) {
      if (!listen().isUpToDate()) revisions.advance([topic]);
      return revisions.revision(topic);
    },
    async close() {
      await Promise.all([listener?.close(), lists?.close(), kysely.destroy()]);
    },
  };
}

const DEAF = "Change notifications of other processes are not received: caching is disabled.";

function notConfirming(): DatabaseUnavailable {
  const reason = "PostgreSQL has not confirmed an earlier commit: no transaction starts until it does";
  return new DatabaseUnavailable({ cause: new Error(reason) });
}

/**
 * Serializes transactions that change ordered data, until they end. `lock table` is the only way to wait *before* a serializable
 * transaction takes its snapshot; so they don't conflict either.
 */
async function waitForOthers(queries: Kysely<unknown>, changes: readonly Topic[]): Promise<void> {
  for (const topic of changes) {
    const table = ORDERED_BY[topic];
    if (table !== undefined) await sql`lock table ${sql.table(table)} in exclusive mode`.execute(queries);
  }
}

async function setLocal(queries: Kysely<unknown>, setting: string, ms: number): Promise<void> {
  await sql`set local ${sql.raw(setting)} = ${sql.lit(ms)}`.execute(queries);
}

/** Repeats an attempt after lock timeouts. */
async function untilUnlocked<Result>(
  attempt: () => Promise<Result>,
  onWait: (() => void) | undefined,
): Promise<Result> {
  const deadline = performance.now() + PATIENT_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > deadline) throw error;
      if (isFirst) onWait?.();
      await delay(MIGRATION_PAUSE_MS);
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailable && (error.cause as { readonly code?: unknown }).code === "55P03"
  );
}

/**
 * Retries on conflict with other transactions, with exponential backoff and jitter; and on a server that has become read-only, whose
 * connections are replaced.
 */
async function retried<Result>(
  attempt: () => Promise<Result>,
  onRetry: DatabaseEvents["onRetry"],
): Promise<Result> {
  let readOnly = 0;
  const deadline = performance.now() + RETRY_MS;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const reason = retryReason(error);
      if (reason === undefined || (attempts >= MIN_ATTEMPTS && performance.now() > deadline)) throw error;
      if (reason === "read_only" && ++readOnly > MAX_READ_ONLY) throw error;
      onRetry?.(reason);
      await delay(Math.random() * Math.min(2 ** attempts * 5, MAX_RETRY_PAUSE_MS));
    }
  }
}

function retryReason(error: unknown): RetryReason | undefined {
  if (error instanceof ReadOnlyServer) return "read_only";
  if (!(error instanceof SerializationFailure)) return undefined;
  return (error.cause as { readonly code?: string }).code === "40P01" ? "deadlock" : "serialization_failure";
}
