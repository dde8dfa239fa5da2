/** Whether a trust may be used, and its remaining uses. */
import type { Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { trustTable, type StoredTrustRow, type Trust } from "./trust.js";

interface Tables {
  readonly trust: StoredTrustRow;
}

/** A trust that gives tokens, as far as it depends on itself. */
export function findUsable(queries: Queries, id: string, now: Moment): Promise<Trust | undefined> {
  return trustTable.first(
    trustTable
      .select(queries)
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .where((row) => row.or([row("expires_at", "is", null), row("expires_at", ">", now)]))
      .where((row) => row.or([row("remaining_uses", "is", null), row("remaining_uses", ">", 0)])),
  );
}

/**
 * Takes one of the remaining uses. The last one ends the trust's tokens, so that only it is a change of facts.
 *
 * @returns Whether there was one.
 */
export async function takeUse(database: Database, id: string, now: Moment): Promise<boolean> {
  const take = (operator: "=" | ">") => async (transaction: Queries) => {
    const { numUpdatedRows } = await transaction
      .tables<Tables>()
      .updateTable("trust")
      .set(({ eb }) => ({
        remaining_uses: eb("remaining_uses", "-", 1),
        ...(operator === "=" && { used_up_at: now }),
      }))
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .where("remaining_uses", operator, 1)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  };
  // Uses only become fewer: a trust without more than one has one, or is used up.
  return (
    (await database.transaction(take(">"), { changes: [] })) ||
    (await database.transaction(take("="), { changes: ["facts"] }))
  );
}
