/**
 * Whether an import from a Keystone is unfinished: until then, logins keep imported password hashes, which that Keystone reads, so
 * that the way back stays open. There is one row, or none.
 */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";

interface Tables {
  readonly unfinished_import: { slot: number; begun_at: Moment };
}

const SLOT = 1;

/** For each import: a later one is unfinished again. */
export async function beginImport(transaction: Queries, now: Moment): Promise<void> {
  await transaction
    .tables<Tables>()
    .insertInto("unfinished_import")
    .values({ slot: SLOT, begun_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** From now on logins replace imported hashes. @returns Whether an import was unfinished. */
export async function finishImport(queries: Queries): Promise<boolean> {
  const { numDeletedRows } = await queries
    .tables<Tables>()
    .deleteFrom("unfinished_import")
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function isImportUnfinished(queries: Queries): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("unfinished_import")
    .select("slot")
    .executeTakeFirst();
  return row !== undefined;
}
