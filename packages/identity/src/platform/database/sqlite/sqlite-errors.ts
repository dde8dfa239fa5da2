/** Translates errors of SQLite to database errors. */
import {
  DatabaseUnavailable,
  ForeignKeyViolation,
  UniqueViolation,
  type ConstraintFacts,
} from "../database-errors.js";

/** @see https://www.sqlite.org/rescode.html */
export function toSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  const options = { cause: error };
  if (error.code === "SQLITE_CONSTRAINT_UNIQUE" || error.code === "SQLITE_CONSTRAINT_PRIMARYKEY")
    return new UniqueViolation(constraintIn(error.message), options);
  if (error.code === "SQLITE_CONSTRAINT_FOREIGNKEY") return new ForeignKeyViolation(options);
  return /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOMEM|CORRUPT|NOTADB|AUTH|PERM)/.test(
    error.code,
  )
    ? new DatabaseUnavailable(options)
    : error;
}

/** `UNIQUE constraint failed: limits.service_id, limits.region_id` */
function constraintIn(message: string): ConstraintFacts {
  const places = /constraint failed: (.*)$/.exec(message)?.[1]?.split(", ") ?? [];
  const parts = places.map((place) => place.split("."));
  return { table: parts[0]?.[0] ?? "", columns: parts.flatMap(([, column]) => column ?? []) };
}
