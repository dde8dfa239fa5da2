/** The connection pools of a process: one for requests, and a small one for readiness checks. */
import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";

import type { PoolUse } from "../database.js";
import { createBlockedStatements } from "./blocked-statements.js";
import { createConnectionPool, type ConnectionPool } from "./connection-pool.js";
import { watchConnections } from "./connection-watch.js";
import { createPostgresConnection, type PostgresConnection } from "./postgres-connection.js";
import type { PostgresHosts } from "./hosts/postgres-hosts.js";
import {
  MAX_CHECK_CONNECTIONS,
  MAX_WAIT_MS,
  OVERDUE_MS,
  READY_MS,
  sessionTimeouts,
  type ConnectionSettings,
  type SessionTimeouts,
} from "./connection-settings.js";

/** The OID of `bigint`, which `pg` returns as text by default. */
const BIGINT = 20;

/** Kysely's pool interface, for requests. */
export interface PostgresPools extends PostgresPool {
  /**
   * Runs a query on a check connection.
   *
   * @returns Why the server takes no changes; `undefined` if it does.
   * @throws No response within two {@link READY_MS}.
   */
  check(): Promise<string | undefined>;
  /** Whether a timed-out commit is still unconfirmed. */
  isUnconfirmed(): boolean;
  /** Of connections for requests. */
  use(): PoolUse;
  /** @see {Database.impairments} */
  impairments(): readonly string[];
}

export interface PostgresPoolsOptions {
  readonly hosts: PostgresHosts;
  readonly limits: ConnectionSettings;
  readonly onConnectionLost: (error: Error) => void;
}

/** Connections are opened on first use. */
export function createPostgresPools({
  hosts,
  limits,
  onConnectionLost,
}: PostgresPoolsOptions): PostgresPools {
  const blocked = createBlockedStatements();
  const clients = new WeakMap<PostgresConnection, PostgresPoolClient>();
  let stopWatch: (() => void) | undefined;

  function createPool(
    config: pg.ClientConfig,
    { max, maxWaitMs, session }: { max: number; maxWaitMs: number; session: SessionTimeouts },
  ) {
    const pool: ConnectionPool = createConnectionPool({
      async open() {
        const connection: PostgresConnection = createPostgresConnection(await hosts.open(config, session), {
          blocked,
          limits: session,
          onLost: onConnectionLost,
          onEnd: () => pool.remove(connection),
          onReadOnly: () => pool.dropAll(),
        });
        return connection;
      },
      max,
      maxWaitMs,
      maxIdleMs: limits.maxIdleMs,
      generation: () => hosts.generation(),
    });
    return pool;
  }

  const requests = createPool(REQUEST_CONFIG, {
    max: limits.maxConnections,
    maxWaitMs: MAX_WAIT_MS,
    session: sessionTimeouts(limits),
  });
  const checks = createPool(CHECK_CONFIG, {
    max: MAX_CHECK_CONNECTIONS,
    maxWaitMs: READY_MS,
    session: { statement_timeout: String(READY_MS) },
  });
  const watch = () =>
    watchConnections({
      hosts,
      connections: () => [...requests.connections(), ...checks.connections()],
      maxAnswerMs: limits.statementMs + OVERDUE_MS,
      onTick() {
        requests.dropIdle();
        checks.dropIdle();
      },
      onUnreachable() {
        requests.dropAll();
        checks.dropAll();
      },
    });

  function clientOf(connection: PostgresConnection): PostgresPoolClient {
    const known = clients.get(connection);
    if (known !== undefined) return known;
    const client: PostgresPoolClient = {
      query: connection.query,
      release: () => requests.release(connection),
    };
    clients.set(connection, client);
    return client;
  }

  function isUnconfirmed(): boolean {
    for (const connection of requests.connections()) if (connection.unconfirmed() !== undefined) return true;
    return false;
  }

  return {
    async connect() {
      stopWatch ??= watch();
      return clientOf(await requests.acquire());
    },
    async check() {
      stopWatch ??= watch();
      const connection = await checks.acquire();
      const late = setTimeout(() => connection.cut(new Error(NO_ANSWER)), READY_MS);
      try {
        const { rows } = await connection.query<ServerState>(READ_STATE, []);
        return rows[0]?.isReadOnly ? (rows[0].isStandby ? IS_STANDBY : IS_READ_ONLY) : undefined;
      } finally {
        clearTimeout(late);
        checks.release(connection);
      }
    },
    isUnconfirmed,
    use: () => requests.use(),
    impairments: () => [
      ...(requests.use().waiting > 0
        ? ["All database connections are in use: requests are waiting for one."]
        : []),
      ...(isUnconfirmed() ? ["The database does not confirm commits: writes are rejected."] : []),
    ],
    async end() {
      stopWatch?.();
      await Promise.all([requests.close(), checks.close()]);
    },
  };
}

interface ServerState {
  readonly isReadOnly: boolean;
  readonly isStandby: boolean;
}

const READ_STATE = `select current_setting('transaction_read_only')::bool as "isReadOnly", pg_is_in_recovery() as "isStandby"`;
const IS_STANDBY = "The database can't be changed: PostgreSQL is a standby.";
const IS_READ_ONLY = "The database can't be changed: PostgreSQL's default_transaction_read_only is on.";
const NO_ANSWER = `connection closed: no response to a readiness check within ${READY_MS} ms`;

export const REQUEST_CONFIG: pg.ClientConfig = {
  application_name: "hamkit-identity",
  types: { getTypeParser },
};

const CHECK_CONFIG: pg.ClientConfig = { application_name: "hamkit-identity-check" };

function getTypeParser(id: number, format?: "text" | "binary"): (text: string) => unknown {
  if (id === BIGINT && format !== "binary") return toWholeNumber;
  return pg.types.getTypeParser(id, format) as (text: string) => unknown;
}

function toWholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} has more than 53 bits`);
  return value;
}
