/** Translates errors of PostgreSQL and `pg` to database errors. */
import pg from "pg";

import {
  DatabaseUnavailable,
  ForeignKeyViolation,
  SerializationFailure,
  UniqueViolation,
  UnstorableText,
} from "../database-errors.js";

/**
 * By SQLSTATE: classes 08 connection, 28 authorization, 53 resources, 57 operator intervention; 3D000 unknown database, 22021 and
 * 22P05 unstorable text, 25006 read-only transaction, 40001 serialization failure, 40P01 deadlock, 55P03 lock timeout.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function toPostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const options = { cause: error };
  if (!(error instanceof pg.DatabaseError))
    return isConnectionError(error) ? new DatabaseUnavailable(options) : error;

  const { code = "", table = "", detail = "" } = error;
  if (code === "23505") return new UniqueViolation({ table, columns: columnsIn(detail) }, options);
  if (code === "23503") return new ForeignKeyViolation(options);
  if (code === "40001" || code === "40P01") return new SerializationFailure(options);
  if (code === "22021" || code === "22P05") return new UnstorableText(options);
  return /^(?:08|53|57|28|25006|3D000|55P03)/.test(code) ? new DatabaseUnavailable(options) : error;
}

/** `Key (service_id, region_id)=(a, b) already exists.` */
function columnsIn(detail: string): readonly string[] {
  return /^Key \(([^)]*)\)=/.exec(detail)?.[1]?.split(", ") ?? [];
}

/** Socket errors have a code; `pg` and its pool have only messages. */
function isConnectionError(error: Error): boolean {
  return (
    /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? "") ||
    /connection (?:terminated|ended)|timeout exceeded when trying to connect|not queryable|timeout expired/i.test(
      error.message,
    )
  );
}
