/** What databases complain about, in words that are the same for each of them. Foreign errors stay in `cause`. */
import { ConflictError, errorClass, InvalidError, UnavailableError } from "../errors.js";

/** Where a constraint stands. */
export interface ConstraintFacts {
  /** The table; empty where the database does not say. */
  readonly table: string;
  /** The columns of the constraint, in its order; none where the database does not say. */
  readonly columns: readonly string[];
}

/** A row of these values is there already. Stores turn it into a conflict that names the thing. */
export class UniqueViolation extends ConflictError implements ConstraintFacts {
  override readonly name = "UniqueViolation";
  override readonly code = "database/duplicate";
  readonly table: string;
  readonly columns: readonly string[];

  constructor({ table, columns }: ConstraintFacts, options?: ErrorOptions) {
    super("Conflict occurred attempting to store the resource - Duplicate entry.", options);
    this.table = table;
    this.columns = columns;
  }
}

/** The row points to one that is not there, or another row points to this one. */
export class ForeignKeyViolation extends errorClass(
  ConflictError,
  "database/reference",
  "The resource refers to one that does not exist, or another one refers to it.",
) {}

/** A text holds a character that the database can't: PostgreSQL has no NUL. */
export class UnstorableText extends errorClass(
  InvalidError,
  "database/unstorable-text",
  "A text of the request holds a character that can't be stored.",
) {}

/** The database can't be reached, is full, read-only or busy for too long. */
export class DatabaseUnavailable extends UnavailableError {
  override readonly name = "DatabaseUnavailable";
  override readonly code = "database/unavailable";

  constructor(options?: ErrorOptions) {
    super("The service is unavailable at present. Please try again later.", options);
  }
}

/** The connection was lost, or PostgreSQL did not answer, while a transaction was committed: it may or may not have been made. */
export class OutcomeUnknown extends errorClass(
  UnavailableError,
  "database/outcome-unknown",
  "It is not known whether the change was made: the database has not confirmed it. Read the resource before you try again.",
) {}

/** Another transaction came first. The database retries by itself, and gives up as {@link DatabaseUnavailable}. */
export class SerializationFailure extends DatabaseUnavailable {
  override readonly code = "database/unavailable";
}
