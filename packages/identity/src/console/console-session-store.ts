/** Sessions of the console in the database. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { rowsOf } from "../platform/database/table.js";

/** A session. The table alone gives neither the cookie nor the token. */
export interface StoredConsoleSession {
  /** A digest of the cookie. */
  readonly id: string;
  readonly userId: string;
  /** Opens with the cookie and the master key only. */
  readonly sealed: string;
  readonly begunAt: Moment;
  readonly expiresAt: Moment;
}

const { toItem, toRow } = rowsOf<StoredConsoleSession>()({
  id: "id",
  userId: "user_id",
  sealed: "sealed",
  begunAt: "begun_at",
  expiresAt: "expires_at",
});

interface Tables {
  readonly console_session: ReturnType<typeof toRow>;
}

export async function findConsoleSession(
  queries: Queries,
  id: string,
): Promise<StoredConsoleSession | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("console_session")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toItem(row);
}

/** Adds a session, and deletes the user's oldest ones beyond a number. */
export async function insertConsoleSession(
  queries: Queries,
  session: StoredConsoleSession,
  { maxPerUser }: { readonly maxPerUser: number },
): Promise<void> {
  const tables = queries.tables<Tables>();
  const kept = await tables
    .selectFrom("console_session")
    .select("id")
    .where("user_id", "=", session.userId)
    .orderBy("begun_at", "desc")
    .orderBy("id")
    .limit(maxPerUser - 1)
    .execute();
  if (kept.length === maxPerUser - 1)
    await tables
      .deleteFrom("console_session")
      .where("user_id", "=", session.userId)
      .where(
        "id",
        "not in",
        kept.map(({ id }) => id),
      )
      .execute();
  await tables.insertInto("console_session").values(toRow(session)).execute();
}

/** @returns Whether the session still exists. */
export async function updateConsoleSession(
  queries: Queries,
  { id, sealed, expiresAt }: Pick<StoredConsoleSession, "id" | "sealed" | "expiresAt">,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<Tables>()
    .updateTable("console_session")
    .set({ sealed, expires_at: expiresAt })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteConsoleSession(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("console_session").where("id", "=", id).execute();
}

/** Rows that are deleted at a time. */
const MAX_DELETED_ROWS = 200;

/** Deletes some of those that expired before a moment. @returns Whether there may be more. */
export async function deleteExpiredConsoleSessions(queries: Queries, before: Moment): Promise<boolean> {
  const tables = queries.tables<Tables>();
  const expired = tables
    .selectFrom("console_session")
    .select("id")
    .where("expires_at", "<", before)
    .limit(MAX_DELETED_ROWS);
  const { numDeletedRows } = await tables
    .deleteFrom("console_session")
    .where("id", "in", expired)
    .executeTakeFirst();
  return Number(numDeletedRows) === MAX_DELETED_ROWS;
}
