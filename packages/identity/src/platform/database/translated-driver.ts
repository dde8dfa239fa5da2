/** Translates the errors of a Kysely driver. */
import type { DatabaseConnection, Driver } from "kysely";

/** The driver with its errors passed through `translate`. */
export function translatedDriver(driver: Driver, translate: (error: unknown) => unknown): Driver {
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const originals = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const original = (connection: DatabaseConnection) => originals.get(connection) ?? connection;

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
      executeQuery: (query) => translated(() => connection.executeQuery(query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
    connections.set(connection, wrapped);
    originals.set(wrapped, connection);
    return wrapped;
  }

  return {
    init: () => driver.init(),
    acquireConnection: () => translated(async () => wrap(await driver.acquireConnection())),
    beginTransaction: (connection, settings) =>
      translated(() => driver.beginTransaction(original(connection), settings)),
    commitTransaction: (connection) => translated(() => driver.commitTransaction(original(connection))),
    // The error that failed the transaction is reported, rather than that of the rollback.
    rollbackTransaction: (connection) => driver.rollbackTransaction(original(connection)).catch(() => {}),
    releaseConnection: (connection) => driver.releaseConnection(original(connection)),
    destroy: () => driver.destroy(),
  };
}
