/** Every time limit and size of the connections to PostgreSQL. Times are in milliseconds. */

/** Connections that work on requests. A process that waits for the disk gains nothing from more. */
export const MAX_CONNECTIONS = 10;
/** Connections of their own for checks, so that a readiness check never queues behind requests. */
export const MAX_CHECK_CONNECTIONS = 2;
/** How long such a check may wait for a connection, and then for its answer: both together less than `/readyz` waits. */
export const READY_MS = 800;

/** How long one host may take to accept a connection: TCP, TLS and login. */
export const CONNECT_MS = 3000;
/** How long a request waits for a connection of the pool. */
export const MAX_WAIT_MS = 5000;
/** A connection that was not used for this long is closed. */
export const MAX_IDLE_MS = 10_000;

/** PostgreSQL's own limits on a session. Locks are held for milliseconds: what waits longer waits for an operator. */
export const STATEMENT_MS = 30_000;
export const LOCK_MS = 3000;
export const IDLE_IN_TRANSACTION_MS = 30_000;

/** A statement that takes this long is suspected to run on a dead connection, and checked over a new one. */
export const SUSPECT_MS = 2000;
/** How often connections are looked over, and how long the check of the suspected ones may take. */
export const WATCH_MS = 500;
export const CHECK_MS = 2000;
/** A connection is closed whose statement is not answered for this long, whatever checks say: PostgreSQL would have ended it. */
export const MAX_ANSWER_MS = STATEMENT_MS + 5000;

/**
 * How long a commit is waited for. A synchronous standby that is away has it wait without end, and hold its connection and its
 * locks: until it is confirmed, other writes are refused before they begin.
 */
export const COMMIT_MS = 5000;
/** Connections that may try statements that have lately waited for a lock in vain. */
export const MAX_BLOCKED = 3;

/** When a client notices by itself that nothing answers: the first TCP keepalive. libuv sends nine more, one a second. */
export const KEEPALIVE_MS = 5000;

/**
 * The same for the server's side, in seconds and milliseconds as PostgreSQL counts: it ends a session whose client went away
 * without a word, and so lets go of its locks.
 */
export const SERVER_SETTINGS = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
} as const;
