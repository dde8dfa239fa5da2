/** A database whose work runs in a transaction that is already open: services of their own rules take part in one transaction. */
import type { Database, Transaction } from "./database.js";

/**
 * The database as seen within a transaction. Transactions that are begun through it are part of that one: they commit with it, and what
 * they throw has to end it. Nothing is cached, because nothing is committed yet.
 */
export function joinedDatabase(database: Database, transaction: Transaction): Database {
  let revision = 0;
  return {
    kind: database.kind,
    columnTypes: database.columnTypes,
    tables: () => transaction.tables(),
    forLists: transaction,
    transaction: (work) => work(transaction),
    alone: (work) => work(transaction),
    ping: () => database.ping(),
    impairments: () => database.impairments(),
    revision: () => ++revision,
    // It ends with the transaction.
    close: async () => {},
  };
}
