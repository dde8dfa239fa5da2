/** Statements of a transaction that the database may reject, without ending the transaction. */
import {
  ForeignKeyViolation,
  type Queries,
  sql,
  UniqueViolation,
  UnstorableText,
} from "@hamkit/identity/import-support/storage";

/** Why the database rejects rows: in the words of the report. */
export const REFERENCE_MISSING = "refers to a row that does not exist or is not imported";
export const VALUE_REJECTED = "the database rejects a value";

/**
 * @param work Returns `false` where it did not do what it should.
 * @returns Why it failed; `undefined` if it succeeded. Failed work leaves no trace.
 */
export async function attempt(
  transaction: Queries,
  work: () => Promise<unknown>,
  otherwise: string,
): Promise<string | undefined> {
  const tables = transaction.tables();
  await sql`savepoint import_attempt`.execute(tables);
  let reason: string | undefined;
  try {
    if ((await work()) === false) reason = otherwise;
  } catch (error) {
    reason = rejectionOf(error, otherwise);
    if (reason === undefined) throw error;
  }
  if (reason !== undefined) await sql`rollback to savepoint import_attempt`.execute(tables);
  await sql`release savepoint import_attempt`.execute(tables);
  return reason;
}

/** @returns Whether the database allows it; otherwise the work left no trace. */
export async function succeeds(transaction: Queries, work: () => Promise<unknown>): Promise<boolean> {
  return (await attempt(transaction, work, "")) === undefined;
}

/** `undefined` for a failure that has nothing to do with the row, such as a lost connection. */
function rejectionOf(error: unknown, otherwise: string): string | undefined {
  if (error instanceof UniqueViolation) return otherwise;
  if (error instanceof ForeignKeyViolation) return REFERENCE_MISSING;
  if (error instanceof UnstorableText) return VALUE_REJECTED;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  // SQLSTATE classes 22 and 23: data exceptions, integrity constraints.
  return /^(?:2[23]\w{3}|SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG).*)$/.test(String(code))
    ? VALUE_REJECTED
    : undefined;
}
