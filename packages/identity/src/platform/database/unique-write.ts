/** Writes that may violate a unique constraint. After a violation on PostgreSQL the transaction has failed. */
import { UniqueViolation } from "./database-errors.js";

/** Makes the error that names the conflicting resource. */
export type ConflictOf = () => Error;

/**
 * Runs a write.
 *
 * @throws The error that `conflict` makes, with the {@link UniqueViolation} as its `cause` for the log; the violation itself, if
 *   left out.
 */
export async function orConflict(write: () => Promise<unknown>, conflict?: ConflictOf): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (conflict === undefined || !(cause instanceof UniqueViolation)) throw cause;
    throw Object.assign(conflict(), { cause });
  }
}
