/**
 * A pool of connections to PostgreSQL. Unlike that of `pg` it survives a failover: dead connections and those to a former primary
 * are replaced, and a slowly closing connection does not occupy a slot.
 */
import type { PostgresConnection } from "./postgres-connection.js";
import { DatabaseUnavailable } from "../database-errors.js";
import type { PoolUse } from "../database.js";

export interface ConnectionPool {
  /** @throws {DatabaseUnavailable} No connection became free in time, or none can be opened. */
  acquire(): Promise<PostgresConnection>;
  /** Returns a connection; one with an unconfirmed commit is reused after the confirmation. */
  release(connection: PostgresConnection): void;
  /** Removes a closed connection. */
  remove(connection: PostgresConnection): void;
  /** Closes idle connections, and the others when they are released. */
  dropAll(): void;
  /** Closes connections that were idle for `maxIdleMs`. */
  dropIdle(): void;
  connections(): Iterable<PostgresConnection>;
  use(): PoolUse;
  /** Closes idle connections; the others close when they are released. */
  close(): Promise<void>;
}

export interface ConnectionPoolOptions {
  readonly open: () => Promise<PostgresConnection>;
  readonly max: number;
  readonly maxWaitMs: number;
  readonly maxIdleMs: number;
  /** Connections of other generations are not reused. */
  readonly generation: () => number;
}

interface Waiter {
  readonly resolve: (connection: PostgresConnection) => void;
  readonly reject: (error: Error) => void;
}

export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { open, max, maxWaitMs, maxIdleMs, generation } = options;
  const all = new Set<PostgresConnection>();
  /** With the time of last use, the latest at the end. */
  const idle: { readonly connection: PostgresConnection; readonly since: number }[] = [];
  const waiters = new Set<Waiter>();
  /** In use when `dropAll` was called. */
  const dropped = new WeakSet<PostgresConnection>();
  let opening = 0;
  let isClosed = false;

  function isReusable(connection: PostgresConnection): boolean {
    return connection.isUsable() && connection.generation === generation() && !dropped.has(connection);
  }

  function takeIdle(): PostgresConnection | undefined {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (isReusable(last.connection)) return last.connection;
      void end(last.connection);
    }
    return undefined;
  }

  function acquire(): Promise<PostgresConnection> {
    if (isClosed) return Promise.reject(unavailable("the connection pool is closed"));
    const free = takeIdle();
    return free === undefined ? wait() : Promise.resolve(free);
  }

  function wait(): Promise<PostgresConnection> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        waiters.delete(waiter);
        reject(unavailable(`none of ${max} connections was free within ${maxWaitMs} ms`));
      }, maxWaitMs);
      const waiter: Waiter = {
        resolve(connection) {
          clearTimeout(late);
          resolve(connection);
        },
        reject(error) {
          clearTimeout(late);
          reject(error);
        },
      };
      waiters.add(waiter);
      grow();
    });
  }

  /** Opens connections for waiters, up to `max`. */
  function grow(): void {
    if (isClosed) return;
    while (opening < waiters.size && all.size + opening < max) void openOne();
  }

  async function openOne(): Promise<void> {
    opening++;
    try {
      const connection = await open();
      opening--;
      all.add(connection);
      giveOn(connection);
    } catch (error) {
      opening--;
      nextWaiter()?.reject(error as Error);
      grow();
    }
  }

  function nextWaiter(): Waiter | undefined {
    const [next] = waiters;
    if (next !== undefined) waiters.delete(next);
    return next;
  }

  function giveOn(connection: PostgresConnection): void {
    if (isClosed || !isReusable(connection)) return void end(connection);
    const next = nextWaiter();
    if (next === undefined) idle.push({ connection, since: performance.now() });
    else next.resolve(connection);
  }

  function end(connection: PostgresConnection): Promise<void> {
    remove(connection);
    return connection.end();
  }

  function remove(connection: PostgresConnection): void {
    all.delete(connection);
    const at = idle.findIndex((each) => each.connection === connection);
    if (at >= 0) idle.splice(at, 1);
    grow();
  }

  return {
    acquire,
    release(connection) {
      const unconfirmed = connection.unconfirmed();
      if (unconfirmed === undefined) giveOn(connection);
      else void unconfirmed.then(() => giveOn(connection));
    },
    remove,
    dropAll() {
      for (const connection of all) dropped.add(connection);
      for (const { connection } of idle.splice(0)) void end(connection);
    },
    dropIdle() {
      const oldest = performance.now() - maxIdleMs;
      while (idle[0] !== undefined && idle[0].since < oldest) void end(idle[0].connection);
    },
    connections: () => all,
    use: () => ({ open: all.size, idle: idle.length, max, waiting: waiters.size }),
    async close() {
      isClosed = true;
      for (let next = nextWaiter(); next !== undefined; next = nextWaiter())
        next.reject(unavailable("the connection pool is closed"));
      const unused = [...all].filter(
        (connection) =>
          connection.unconfirmed() !== undefined || idle.some((each) => each.connection === connection),
      );
      await Promise.all(unused.map(end));
    },
  };
}

function unavailable(reason: string): DatabaseUnavailable {
  return new DatabaseUnavailable({ cause: new Error(reason) });
}
