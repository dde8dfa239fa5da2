/**
 * Reads lists from standbys that are at most some milliseconds behind, and that have every change this process knows of.
 *
 * Each read first proves on its own connection that the server is a standby of the same cluster and has replayed the required
 * position. One that is promoted, behind, or does not respond in time is not used for a while, and the list is read from the primary.
 */
import type { CompiledQuery, QueryResult } from "kysely";
import pg from "pg";

import { createBlockedStatements } from "../blocked-statements.js";
import { createConnectionPool, type ConnectionPool } from "../connection-pool.js";
import { watchConnections } from "../connection-watch.js";
import type { PostgresAddress } from "../postgres-address.js";
import { createPostgresConnection, type PostgresConnection } from "../postgres-connection.js";
import { createPostgresHosts, type PostgresHosts } from "../hosts/postgres-hosts.js";
import {
  BEHIND_PAUSE_MS,
  FAILED_PAUSE_MS,
  OVERDUE_MS,
  sessionTimeouts,
  STANDBY_MS,
  type ConnectionSettings,
} from "../connection-settings.js";
import { REQUEST_CONFIG } from "../postgres-pools.js";
import type { RequiredPosition } from "./wal-positions.js";

export interface StandbyReads {
  /** @returns `undefined` if no standby can be used: the primary has to answer, also where the query fails. */
  run(query: CompiledQuery): Promise<QueryResult<never> | undefined>;
  close(): Promise<void>;
}

export interface StandbyReadsOptions {
  readonly address: PostgresAddress;
  readonly limits: ConnectionSettings;
  /** The position that a standby must have replayed; `undefined` if none may be used. */
  readonly required: () => RequiredPosition | undefined;
  /** Each time that a standby is asked. @param behind Bytes of the primary's log that it has not replayed. */
  readonly onLag: (host: string, behind: number) => void;
  /** Called once per outage of a standby. */
  readonly onConnectionLost: (error: Error) => void;
}

export function createStandbyReads(options: StandbyReadsOptions): StandbyReads {
  const standbys = options.address.urls.map((url) => createStandby(url, options));
  let next = 0;

  return {
    async run(query) {
      const position = options.required();
      if (position === undefined) return undefined;
      next = (next + 1) % standbys.length;
      for (const standby of [...standbys.slice(next), ...standbys.slice(0, next)]) {
        const result = await standby.run(query, position);
        if (result !== undefined) return result;
      }
      return undefined;
    },
    async close() {
      await Promise.all(standbys.map((standby) => standby.close()));
    },
  };
}

/** One standby, or a load balancer that has each connection lead to one standby. */
function createStandby(
  url: string,
  { address, limits, onLag, onConnectionLost }: Omit<StandbyReadsOptions, "required">,
) {
  const session = sessionTimeouts(limits);
  const hosts = createPostgresHosts(
    { ...address, urls: [url], targetSession: "standby" },
    { connectMs: limits.connectMs },
  );
  let host = "";
  const pool: ConnectionPool = createConnectionPool({
    async open() {
      const opened = await hosts.open(REQUEST_CONFIG, session);
      host = `${opened.client.host}:${opened.client.port}`;
      if (opened.isPooled) throw new Error("a standby can't be reached through a pooler");
      const connection: PostgresConnection = createPostgresConnection(opened, {
        blocked: createBlockedStatements(),
        limits: session,
        onLost: onConnectionLost,
        onEnd: () => pool.remove(connection),
        onReadOnly: () => {},
      });
      return connection;
    },
    max: limits.maxConnections,
    maxWaitMs: STANDBY_MS,
    maxIdleMs: limits.maxIdleMs,
    generation: () => hosts.generation(),
  });
  let stopWatch: (() => void) | undefined;
  let unusedUntil = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  const avoid = (ms: number) => {
    unusedUntil = performance.now() + ms;
  };

  async function runIfCurrent(
    query: CompiledQuery,
    position: RequiredPosition,
  ): Promise<QueryResult<never> | undefined> {
    const connection = await pool.acquire();
    try {
      const { isCurrent, behind } = await readState(connection, position);
      onLag(host, behind);
      if (!isCurrent) {
        avoid(BEHIND_PAUSE_MS);
        return undefined;
      }
      const { rows } = await connection.query<never>(query.sql, query.parameters);
      return { rows };
    } finally {
      pool.release(connection);
    }
  }

  return {
    async run(query: CompiledQuery, position: RequiredPosition): Promise<QueryResult<never> | undefined> {
      if (performance.now() < unusedUntil) return undefined;
      stopWatch ??= watchStandby({ hosts, pool, limits });
      try {
        const result = await runIfCurrent(query, position);
        hasFailed = false;
        return result;
      } catch (error) {
        // A query that conflicts with replay is cancelled; the standby can be used for others.
        if (error instanceof pg.DatabaseError) return undefined;
        avoid(FAILED_PAUSE_MS);
        if (!hasFailed) onConnectionLost(error as Error);
        hasFailed = true;
        return undefined;
      }
    },
    async close() {
      stopWatch?.();
      await pool.close();
    },
  };
}

function watchStandby({
  hosts,
  pool,
  limits,
}: {
  readonly hosts: PostgresHosts;
  readonly pool: ConnectionPool;
  readonly limits: ConnectionSettings;
}): () => void {
  return watchConnections({
    hosts,
    connections: () => pool.connections(),
    maxAnswerMs: limits.statementMs + OVERDUE_MS,
    onTick: () => pool.dropIdle(),
    onUnreachable: () => pool.dropAll(),
  });
}

const STATE = `select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn
  and (select system_identifier::text from pg_control_system()) = $2 as "isCurrent",
  greatest(pg_wal_lsn_diff($3::pg_lsn, pg_last_wal_replay_lsn()), 0)::float8 as behind`;

interface StandbyState {
  readonly isCurrent: boolean;
  readonly behind: number;
}

async function readState(
  connection: PostgresConnection,
  { lsn, system, latest }: RequiredPosition,
): Promise<StandbyState> {
  const late = setTimeout(
    () => connection.cut(new Error(`connection closed: the standby did not respond within ${STANDBY_MS} ms`)),
    STANDBY_MS,
  );
  try {
    const { rows } = await connection.query<StandbyState>(STATE, [lsn, system, latest]);
    return rows[0] ?? { isCurrent: false, behind: 0 };
  } finally {
    clearTimeout(late);
  }
}
