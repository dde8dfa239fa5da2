/** Writes that may meet a row of the same name or id. */
import { UniqueViolation } from "./database-errors.js";

/** Whether it was written: not if that would make two of what has to be unique. On PostgreSQL its transaction has failed then. */
export async function isUnique(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof UniqueViolation) return false;
    throw error;
  }
}
