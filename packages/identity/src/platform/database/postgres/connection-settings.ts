/** Timeouts (in milliseconds) and sizes of the connections to PostgreSQL. */

/** Settings that the operator may change. */
export interface ConnectionSettings {
  /** Connections for requests. */
  readonly maxConnections: number;
  /** Connect timeout per host: TCP, TLS, login and session setup. */
  readonly connectMs: number;
  /** Idle connections are closed after this time. */
  readonly maxIdleMs: number;
  /** PostgreSQL's session timeouts. */
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
}

/** The service holds locks for milliseconds: longer waits are for an operator's session. More connections don't increase throughput. */
export const DEFAULT_CONNECTION_SETTINGS: ConnectionSettings = {
  maxConnections: 10,
  connectMs: 3000,
  maxIdleMs: 10_000,
  statementMs: 30_000,
  lockMs: 3000,
  idleInTransactionMs: 30_000,
};

/** Settings of a session, in PostgreSQL's units. */
export type SessionTimeouts = Readonly<Record<string, string>>;

export function sessionTimeouts({
  statementMs,
  lockMs,
  idleInTransactionMs,
}: ConnectionSettings): SessionTimeouts {
  return {
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleInTransactionMs),
  };
}

/** Dedicated connections for readiness checks, which must not queue behind requests. */
export const MAX_CHECK_CONNECTIONS = 2;
/** How long a check may wait for a connection, and then for its response: together less than the timeout of `/readyz`. */
export const READY_MS = 800;

/** How long a request waits for a pooled connection. */
export const MAX_WAIT_MS = 5000;

/** If the current host has not accepted a connection after this time, the primary is searched among all hosts. */
export const HOST_PATIENCE_MS = 300;
/** How long the search waits for other primaries after it found one: that of the higher timeline is current. */
export const SEARCH_GRACE_MS = 100;
/** After a search without success, no other one starts for this time. */
export const SEARCH_PAUSE_MS = 150;

/** After this time a statement's connection is suspected dead, and checked over a new one. */
export const SUSPECT_MS = 2000;
/** Interval of connection checks, and timeout of a check. */
export const WATCH_MS = 500;
export const CHECK_MS = 2000;
/** A statement's connection is closed this long after the statement timeout: PostgreSQL would have cancelled the statement. */
export const OVERDUE_MS = 5000;

/**
 * Timeout of a commit. While a synchronous standby is down a commit waits without limit, holding its connection and locks: until
 * it is confirmed, other writes are rejected.
 */
export const COMMIT_MS = 5000;
/** Connections that may retry statements after a lock timeout. */
export const MAX_BLOCKED = 3;

/** Delay of the first TCP keepalive. libuv sends nine more, one per second. */
export const KEEPALIVE_MS = 5000;

/** Keepalives of the server, in PostgreSQL's units: it ends sessions of vanished clients, and releases their locks. */
export const SERVER_SETTINGS = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
} as const;

/** How long a list may wait for a connection to a standby, and for proof that the standby is up to date. */
export const STANDBY_MS = 300;
/** How long a standby is not used after it failed, or was found to be behind. */
export const FAILED_PAUSE_MS = 2000;
export const BEHIND_PAUSE_MS = 50;
/** Interval between readings of the primary's position, at least and at most; a quarter of the permitted lag in between. */
export const MIN_POSITION_MS = 20;
export const MAX_POSITION_MS = 250;
