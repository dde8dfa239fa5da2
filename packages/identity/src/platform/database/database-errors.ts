/** Errors of databases, the same for both kinds. The driver's error is the `cause`. */
import { ConflictError, errorClass, InvalidError, UnavailableError } from "../errors.js";

/** A violated constraint. */
export interface ViolatedConstraint {
  /** Empty if the database does not report it. */
  readonly table: string;
  /** In the order of the constraint; none if the database does not report them. */
  readonly columns: readonly string[];
}

/** A row of these values exists. Stores replace it by an error that names the resource. */
export class UniqueViolation extends ConflictError implements ViolatedConstraint {
  override readonly name = "UniqueViolation";
  override readonly code = "database/duplicate";
  readonly table: string;
  readonly columns: readonly string[];

  constructor({ table, columns }: ViolatedConstraint, options?: ErrorOptions) {
    super("Conflict occurred attempting to store the resource - Duplicate entry.", options);
    this.table = table;
    this.columns = columns;
  }
}

/** The row refers to a missing row, or another row refers to it. */
export class ForeignKeyViolation extends errorClass(
  ConflictError,
  "database/reference",
  "The resource refers to one that does not exist, or another one refers to it.",
) {}

/** A text has a character that a database can't store: NUL on PostgreSQL. */
export class UnstorableText extends errorClass(
  InvalidError,
  "database/unstorable-text",
  "A text of the request holds a character that can't be stored.",
) {}

/** The database is unreachable, full, read-only or busy for too long. */
export class DatabaseUnavailable extends errorClass(
  UnavailableError,
  "database/unavailable",
  "The service is unavailable at present. Please try again later.",
) {}

/** The connection was lost or timed out during a commit: the transaction may or may not have been committed. */
export class OutcomeUnknown extends errorClass(
  UnavailableError,
  "database/outcome-unknown",
  "It is not known whether the change was made: the database has not confirmed it. Read the resource before you try again.",
) {}

/** The server has become a standby, or read-only. The database retries once on the primary, and fails as {@link DatabaseUnavailable}. */
export class ReadOnlyServer extends DatabaseUnavailable {}

/** Conflict with a concurrent transaction. The database retries, and finally fails as {@link DatabaseUnavailable}. */
export class SerializationFailure extends DatabaseUnavailable {}
