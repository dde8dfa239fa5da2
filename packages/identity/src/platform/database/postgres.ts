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

import { queriesOf, type ColumnTypes, type Database, type DatabaseEvents } from "./database.js";
import { SerializationFailure } from "./database-errors.js";
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

/** A pool of connections; none is made before the first query. */
export function openPostgres(url: string, { onConnectionLost }: DatabaseEvents): Database {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "hamkit-identity",
    max: CONNECTIONS,
    connectionTimeoutMillis: 5000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    types: { getTypeParser },
  });
  pool.on("error", (error) => onConnectionLost?.(error));
  // While a connection is in use the pool does not listen, and an error that nobody hears ends the process. Whoever uses it
  // learns of the loss by its next query.
  pool.on("connect", (client) => client.on("error", () => {}));
  const kysely = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => translatedDriver(new PostgresDriver({ pool }), toPostgresError),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });

  const revisions = createRevisions();
  return {
    kind: "postgres",
    columnTypes,
    ...queriesOf(kysely),
    async transaction(work, { changes = ASSUMED_CHANGES } = {}) {
      const result = await retried(() =>
        kysely
          .transaction()
          .setIsolationLevel("serializable")
          .execute((transaction) => work(queriesOf(transaction))),
      );
      revisions.advance(changes);
      return result;
    },
    // Not serializable: what was committed while it waited for the lock has to be seen.
    alone: (work) =>
      kysely
        .transaction()
        .setIsolationLevel("read committed")
        .execute(async (transaction) => {
          await sql`set local lock_timeout = '60s'`.execute(transaction);
          await sql`select pg_advisory_xact_lock(${sql.lit(ALONE_LOCK)})`.execute(transaction);
          return work(queriesOf(transaction));
        }),
    async ping() {
      await sql`select 1`.execute(kysely);
    },
    revision: (topic) => revisions.revision(topic),
    close: () => kysely.destroy(),
  };
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
