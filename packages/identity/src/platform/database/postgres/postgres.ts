/** The database interface on PostgreSQL, through Kysely and `pg`. */
import { setTimeout as delay } from "node:timers/promises";

import {
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";

import {
  ORDERED_BY,
  queriesOf,
  type ColumnTypes,
  type Database,
  type DatabaseEvents,
  type Topic,
} from "../database.js";
import { DatabaseUnavailable, OutcomeUnknown, SerializationFailure } from "../database-errors.js";
import { announce, listenForNotices, type NoticeListener } from "./notices.js";
import { parsePostgresAddress } from "./postgres-address.js";
import { toPostgresError } from "./postgres-errors.js";
import { createPostgresHosts } from "./postgres-hosts.js";
import { createPostgresPools, type PostgresPools } from "./postgres-pools.js";
import { ASSUMED_CHANGES, createRevisions } from "../revisions.js";
import { translatedDriver } from "../translated-driver.js";

const MAX_ATTEMPTS = 8;
/** The advisory lock of {@link Database.alone}: an arbitrary, unique number. */
const ALONE_LOCK = 0x1d_e4_71_7e;

const columnTypes: ColumnTypes = {
  text: sql`text collate "C"`,
  boolean: "boolean",
  integer: "integer",
  moment: "bigint",
  bytes: "bytea",
};

/** Connects at the first query, and listens for notifications from the first use of `revision` on. */
export function openPostgres(url: string, { onConnectionLost }: DatabaseEvents): Database {
  const hosts = createPostgresHosts(parsePostgresAddress(url));
  const onLost = (error: Error) => onConnectionLost?.(error);
  const pools = createPostgresPools({ hosts, onConnectionLost: onLost });
  const kysely = createKysely(pools);
  const revisions = createRevisions();
  let listener: NoticeListener | undefined;

  /** Advances revisions after a change, also if its outcome is unknown. */
  async function advancing<Result>(changes: readonly Topic[], work: () => Promise<Result>): Promise<Result> {
    if (pools.isUnconfirmed()) throw notConfirming();
    try {
      const result = await work();
      revisions.advance(changes);
      return result;
    } catch (error) {
      if (error instanceof OutcomeUnknown) revisions.advance(changes);
      throw error;
    }
  }

  return {
    kind: "postgres",
    columnTypes,
    ...queriesOf(kysely),
    transaction(work, { changes = ASSUMED_CHANGES } = {}) {
      const transaction = kysely.transaction().setIsolationLevel("serializable");
      return advancing(changes, () =>
        retried(() =>
          transaction.execute(async (queries) => {
            await waitForOthers(queries, changes);
            const worked = await work(queriesOf(queries));
            await announce(queriesOf(queries), changes);
            return worked;
          }),
        ),
      );
    },
    // Not serializable: it must see what was committed while it waited for the lock.
    alone(work, { changes = ASSUMED_CHANGES } = {}) {
      const transaction = kysely.transaction().setIsolationLevel("read committed");
      return advancing(changes, () =>
        transaction.execute(async (queries) => {
          await sql`set local lock_timeout = '60s'`.execute(queries);
          await sql`select pg_advisory_xact_lock(${sql.lit(ALONE_LOCK)})`.execute(queries);
          await waitForOthers(queries, changes);
          const worked = await work(queriesOf(queries));
          await announce(queriesOf(queries), changes);
          return worked;
        }),
      );
    },
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    async impairments() {
      const hears = listener?.isUpToDate() ?? true;
      const found = hears ? pools.impairments() : [...pools.impairments(), DEAF];
      try {
        await pools.check();
        return found;
      } catch (error) {
        // Cached responses can still be served.
        if (listener?.isUpToDate()) return [...found, "The database does not answer checks."];
        throw toPostgresError(error);
      }
    },
    revision(topic) {
      listener ??= listenForNotices(hosts, {
        onChange: (topics) => revisions.advance(topics),
        onLost,
      });
      if (!listener.isUpToDate()) revisions.advance([topic]);
      return revisions.revision(topic);
    },
    async close() {
      await Promise.all([listener?.close(), kysely.destroy()]);
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

function createKysely(pools: PostgresPools): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => translatedDriver(new PostgresDriver({ pool: pools }), toPostgresError),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** Retries on conflict with other transactions, with exponential backoff and jitter. */
async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof SerializationFailure) || attempts === MAX_ATTEMPTS) throw error;
      await delay(Math.random() * 2 ** attempts * 5);
    }
  }
}
