/** PostgreSQL through `pg`. */
import { setTimeout as delay } from "node:timers/promises";

import {
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import pg from "pg";

import {
  ORDERED_BY,
  queriesOf,
  type ColumnTypes,
  type Database,
  type DatabaseEvents,
  type Topic,
} from "./database.js";
import { SerializationFailure } from "./database-errors.js";
import { announce, listenForNotices, type NoticeListener } from "./notices.js";
import { toPostgresError } from "./postgres-errors.js";
import { ASSUMED_CHANGES, createRevisions } from "./revisions.js";
import { translatedDriver } from "./translated-driver.js";

/** Connections at most. A process that waits for the disk gains nothing from more. */
const CONNECTIONS = 10;
const ATTEMPTS = 8;
/** The object identifier of `bigint`, which `pg` would hand out as text. */
const BIGINT = 20;
/** Any number that others don't use: it names the lock of {@link Database.alone}. */
const ALONE_LOCK = 0x1d_e4_71_7e;

const columnTypes: ColumnTypes = {
  text: sql`text collate "C"`,
  boolean: "boolean",
  integer: "integer",
  moment: "bigint",
  bytes: "bytea",
};

/** A pool of connections; none is made before the first query, nor one that listens before the first revision is asked for. */
export function openPostgres(url: string, { onConnectionLost }: DatabaseEvents): Database {
  const connection = { connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true };
  const kysely = createKysely(createPool(connection, onConnectionLost));
  const revisions = createRevisions();
  let listener: NoticeListener | undefined;

  return {
    kind: "postgres",
    columnTypes,
    ...queriesOf(kysely),
    async transaction(work, { changes = ASSUMED_CHANGES } = {}) {
      const transaction = kysely.transaction().setIsolationLevel("serializable");
      const result = await retried(() =>
        transaction.execute(async (queries) => {
          await waitForOthers(queries, changes);
          const worked = await work(queriesOf(queries));
          await announce(queriesOf(queries), changes);
          return worked;
        }),
      );
      revisions.advance(changes);
      return result;
    },
    // Not serializable: what was committed while it waited for the lock has to be seen.
    async alone(work, { changes = ASSUMED_CHANGES } = {}) {
      const transaction = kysely.transaction().setIsolationLevel("read committed");
      const result = await transaction.execute(async (queries) => {
        await sql`set local lock_timeout = '60s'`.execute(queries);
        await sql`select pg_advisory_xact_lock(${sql.lit(ALONE_LOCK)})`.execute(queries);
        await waitForOthers(queries, changes);
        const worked = await work(queriesOf(queries));
        await announce(queriesOf(queries), changes);
        return worked;
      });
      revisions.advance(changes);
      return result;
    },
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    revision(topic) {
      listener ??= listenForNotices(connection, {
        onChange: (topics) => revisions.advance(topics),
        onLost: (error) => onConnectionLost?.(error),
      });
      if (!listener.isUpToDate()) revisions.advance([topic]);
      return revisions.revision(topic);
    },
    async close() {
      await Promise.all([listener?.close(), kysely.destroy()]);
    },
  };
}

/**
 * Has transactions that change what is ordered run one after the other, until they have ended. `lock table` is the only way to wait
 * *before* a serializable transaction takes its snapshot; so they don't conflict either.
 */
async function waitForOthers(queries: Kysely<unknown>, changes: readonly Topic[]): Promise<void> {
  for (const topic of changes) {
    const table = ORDERED_BY[topic];
    if (table !== undefined) await sql`lock table ${sql.table(table)} in exclusive mode`.execute(queries);
  }
}

function createPool(
  connection: pg.PoolConfig,
  onConnectionLost: DatabaseEvents["onConnectionLost"],
): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    application_name: "hamkit-identity",
    max: CONNECTIONS,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    types: { getTypeParser },
  });
  pool.on("error", (error) => onConnectionLost?.(error));
  // While a connection is in use the pool does not listen, and an error that nobody hears ends the process. Whoever uses it
  // learns of the loss by its next query.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

function createKysely(pool: pg.Pool): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => translatedDriver(new PostgresDriver({ pool }), toPostgresError),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** Attempts again, after a growing wait of random length, while other transactions come first. */
async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof SerializationFailure) || attempts === ATTEMPTS) throw error;
      await delay(Math.random() * 2 ** attempts * 5);
    }
  }
}

function getTypeParser(id: number, format?: "text" | "binary"): (text: string) => unknown {
  if (id === BIGINT && format !== "binary") return toWholeNumber;
  return pg.types.getTypeParser(id, format) as (text: string) => unknown;
}

function toWholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} has more than 53 bits`);
  return value;
}
