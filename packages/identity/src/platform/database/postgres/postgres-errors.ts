/** Translates errors of PostgreSQL and `pg` to database errors. */
import pg from "pg";

import {
  DatabaseUnavailable,
  ForeignKeyViolation,
  ReadOnlyServer,
  SerializationFailure,
  UniqueViolation,
  UnstorableText,
} from "../database-errors.js";

/**
 * By SQLSTATE: classes 08 connection, 28 authorization, 53 resources, 57 operator intervention; 3D000 unknown database, 22021 and
 * 22P05 unstorable text, 25P03 a session that was idle in a transaction, 40001 serialization failure, 40P01 deadlock, 55P03 lock timeout.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function toPostgresError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const options = { cause: error };
  if (!(error instanceof pg.DatabaseError))
    return isConnectionError(error) ? new DatabaseUnavailable(options) : error;

  const { code = "", table = "", detail = "" } = error;
  if (isFromStandby(error)) return new ReadOnlyServer(options);
  if (code === "23505") return new UniqueViolation({ table, columns: columnsIn(detail) }, options);
  if (code === "23503") return new ForeignKeyViolation(options);
  if (code === "40001" || code === "40P01") return new SerializationFailure(options);
  if (code === "22021" || code === "22P05") return new UnstorableText(options);
  return /^(?:08|53|57|28|25P03|3D000|55P03)/.test(code) ? new DatabaseUnavailable(options) : error;
}

/** The check of the isolation level, and the first snapshot. */
const BEGINNING: ReadonlySet<string> = new Set([
  "call_enum_check_hook",
  "GetSerializableTransactionSnapshot",
]);

/**
 * Whether the server has refused because it is a standby, or read-only: 25006, or 0A000 where a serializable transaction begins,
 * which a standby does not have. The latter is recognized by PostgreSQL's functions: its message depends on the server's language.
 */
export function isFromStandby(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code, routine } = error;
  return code === "25006" || (code === "0A000" && BEGINNING.has(routine ?? ""));
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
