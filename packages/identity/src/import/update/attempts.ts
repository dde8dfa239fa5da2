/** Statements of a transaction that a constraint may reject, without ending the transaction. */
import { sql } from "kysely";

import type { Queries } from "../../platform/database/database.js";
import { ForeignKeyViolation, UniqueViolation } from "../../platform/database/database-errors.js";

/** @returns Whether the constraints allow it; otherwise the work left no trace. */
export async function succeeds(transaction: Queries, work: () => Promise<unknown>): Promise<boolean> {
  const tables = transaction.tables();
  await sql`savepoint import_attempt`.execute(tables);
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof UniqueViolation || error instanceof ForeignKeyViolation)) throw error;
    await sql`rollback to savepoint import_attempt`.execute(tables);
    return false;
  } finally {
    await sql`release savepoint import_attempt`.execute(tables);
  }
}
