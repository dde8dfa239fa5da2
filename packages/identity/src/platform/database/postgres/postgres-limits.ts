/** Timeouts (in milliseconds) and sizes of the connections to PostgreSQL. */

/** Connections for requests. More don't increase throughput. */
export const MAX_CONNECTIONS = 10;
/** Dedicated connections for readiness checks, which must not queue behind requests. */
export const MAX_CHECK_CONNECTIONS = 2;
/** How long a check may wait for a connection, and then for its response: together less than the timeout of `/readyz`. */
export const READY_MS = 800;

/** Connect timeout per host: TCP, TLS and login. */
export const CONNECT_MS = 3000;
/** How long a request waits for a pooled connection. */
export const MAX_WAIT_MS = 5000;
/** Idle connections are closed after this time. */
export const MAX_IDLE_MS = 10_000;

/** PostgreSQL's session timeouts. The service holds locks for milliseconds: longer waits are for an operator's session. */
export const STATEMENT_MS = 30_000;
export const LOCK_MS = 3000;
export const IDLE_IN_TRANSACTION_MS = 30_000;

/** After this time a statement's connection is suspected dead, and checked over a new one. */
export const SUSPECT_MS = 2000;
/** Interval of connection checks, and timeout of a check. */
export const WATCH_MS = 500;
export const CHECK_MS = 2000;
/** A statement's connection is closed after this time in any case: PostgreSQL would have cancelled the statement. */
export const MAX_ANSWER_MS = STATEMENT_MS + 5000;

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
