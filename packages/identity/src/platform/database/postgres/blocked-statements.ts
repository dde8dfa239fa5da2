/**
 * Keeps a locked table from exhausting the connection pool: after a lock timeout, a statement may run on a few connections at a
 * time until it succeeds once; further attempts fail immediately.
 */
import { DatabaseUnavailable } from "../database-errors.js";
import { MAX_BLOCKED } from "./connection-settings.js";

/** Blocked statements tracked. Beyond that all are cleared. */
const MAX_TRACKED = 200;

export interface BlockedStatements {
  /**
   * Call it before sending a statement.
   *
   * @returns A function to call with the outcome.
   * @throws {DatabaseUnavailable} The statement recently timed out on a lock, and other connections are retrying it.
   */
  begin(text: string): (outcome: { readonly isLockTimeout: boolean }) => void;
}

export function createBlockedStatements(): BlockedStatements {
  const blocked = new Set<string>();
  let trying = 0;

  function settle(text: string, isLockTimeout: boolean): void {
    if (!isLockTimeout) {
      blocked.delete(text);
      return;
    }
    if (blocked.size >= MAX_TRACKED) blocked.clear();
    blocked.add(text);
  }

  return {
    begin(text) {
      if (!blocked.has(text)) return ({ isLockTimeout }) => settle(text, isLockTimeout);
      if (trying >= MAX_BLOCKED)
        throw new DatabaseUnavailable({
          cause: new Error(
            `${MAX_BLOCKED} statements are already waiting for a lock, and this one recently timed out on one: ${text}`,
          ),
        });
      trying++;
      return ({ isLockTimeout }) => {
        trying--;
        settle(text, isLockTimeout);
      };
    },
  };
}
