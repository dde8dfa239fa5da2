/** Translates the errors of a Kysely driver, and refuses statements that come after the end of their transaction. */
import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Driver,
} from "kysely";

import { traced } from "../tracing/tracing.js";
import { toPostgresError } from "./postgres/postgres-errors.js";

/** The driver with its errors passed through `translate`. */
export function translatedDriver(driver: Driver, translate: (error: unknown) => unknown): Driver {
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const originals = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const original = (connection: DatabaseConnection) => originals.get(connection) ?? connection;
  /** Whose transaction is being committed or rolled back, or was. One of parallel works that goes on would write outside of it. */
  const ending = new WeakSet<DatabaseConnection>();

  async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw translate(error);
    }
  }

  function wrap(connection: DatabaseConnection): DatabaseConnection {
    const known = connections.get(connection);
    if (known !== undefined) return known;
    const wrapped: DatabaseConnection = {
      executeQuery: (query) =>
        ending.has(wrapped)
          ? Promise.reject(new Error(`a statement after the end of its transaction: ${query.sql}`))
          : translated(() => traced("query", query.sql, () => connection.executeQuery(query))),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
    connections.set(connection, wrapped);
    originals.set(wrapped, connection);
    return wrapped;
  }

  return {
    init: () => driver.init(),
    acquireConnection: () =>
      translated(async () => {
        const connection = wrap(await driver.acquireConnection());
        ending.delete(connection);
        return connection;
      }),
    beginTransaction: (connection, settings) =>
      translated(() => driver.beginTransaction(original(connection), settings)),
    commitTransaction(connection) {
      ending.add(connection);
      return translated(() =>
        traced("query", "commit", () => driver.commitTransaction(original(connection))),
      );
    },
    // The error that failed the transaction is reported, rather than that of the rollback.
    rollbackTransaction(connection) {
      ending.add(connection);
      return driver.rollbackTransaction(original(connection)).catch(() => {});
    },
    releaseConnection: (connection) => driver.releaseConnection(original(connection)),
    destroy: () => driver.destroy(),
  };
}

/** Kysely on PostgreSQL, with the errors of the database. */
export function createKysely(driver: Driver): Kysely<unknown> {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => translatedDriver(driver, toPostgresError),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}
