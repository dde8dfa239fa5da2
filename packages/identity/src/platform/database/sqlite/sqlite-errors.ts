/** Translates errors of SQLite to database errors. */
import {
  DatabaseUnavailable,
  ForeignKeyViolation,
  UniqueViolation,
  type ViolatedConstraint,
} from "../database-errors.js";

/** @see https://www.sqlite.org/rescode.html */
export function toSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  const options = { cause: error };
  if (error.code === "SQLITE_CONSTRAINT_UNIQUE" || error.code === "SQLITE_CONSTRAINT_PRIMARYKEY")
    return new UniqueViolation(constraintIn(error.message), options);
  if (error.code === "SQLITE_CONSTRAINT_FOREIGNKEY") return new ForeignKeyViolation(options);
  return isBusy(error) || isStorageFailure(error) ? new DatabaseUnavailable(options) : error;
}

/** Whether another process holds a lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

/** Whether the files can't be read or written. */
export function isStorageFailure(error: unknown): error is Error {
  return /^SQLITE_(?:LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOMEM|CORRUPT|NOTADB|AUTH|PERM)/.test(codeOf(error));
}

/** `SQLITE_FULL (database or disk is full)` */
export function describeSqliteError(error: unknown): string {
  return error instanceof Error ? `${codeOf(error)} (${error.message})` : String(error);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** `UNIQUE constraint failed: limits.service_id, limits.region_id` */
function constraintIn(message: string): ViolatedConstraint {
  const places = /constraint failed: (.*)$/.exec(message)?.[1]?.split(", ") ?? [];
  const parts = places.map((place) => place.split("."));
  return { table: parts[0]?.[0] ?? "", columns: parts.flatMap(([, column]) => column ?? []) };
}
