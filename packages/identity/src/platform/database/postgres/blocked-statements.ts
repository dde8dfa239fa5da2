/**
 * Keeps a locked table from holding every connection: a statement that has waited for a lock in vain is tried by a few
 * connections at a time until it gets through once; all others that want to run it are refused at once.
 */
import { DatabaseUnavailable } from "../database-errors.js";
import { MAX_BLOCKED } from "./postgres-limits.js";

/** Statements that are remembered at most. Beyond that all are forgotten, and have to wait in vain again. */
const MAX_REMEMBERED = 200;

export interface BlockedStatements {
  /**
   * Before a statement is sent.
   *
   * @returns What is called with its outcome.
   * @throws {DatabaseUnavailable} It has lately waited for a lock in vain, and others are trying already.
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
    if (blocked.size >= MAX_REMEMBERED) blocked.clear();
    blocked.add(text);
  }

  return {
    begin(text) {
      if (!blocked.has(text)) return ({ isLockTimeout }) => settle(text, isLockTimeout);
      if (trying >= MAX_BLOCKED)
        throw new DatabaseUnavailable({
          cause: new Error(
            `${MAX_BLOCKED} statements wait for a lock already, and this one lately did in vain: ${text}`,
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
