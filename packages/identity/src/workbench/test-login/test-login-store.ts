/** Test logins in the database: each result is sealed. */
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { rowsOf } from "../../platform/database/table.js";

export interface StoredTestLogin {
  readonly id: string;
  readonly idpId: string;
  readonly protocolId: string;
  /** Who began it. */
  readonly userId: string;
  /** A digest of the secret of the browser that may log in; `null` if none may. */
  readonly browser: string | null;
  /** When the browser was sent to the provider. */
  readonly begunAt: Moment | null;
  readonly sealedResult: string | null;
  readonly createdAt: Moment;
  readonly expiresAt: Moment;
}

const { toItem, toRow } = rowsOf<StoredTestLogin>()({
  id: "id",
  idpId: "idp_id",
  protocolId: "protocol_id",
  userId: "user_id",
  browser: "browser",
  begunAt: "begun_at",
  sealedResult: "sealed_result",
  createdAt: "created_at",
  expiresAt: "expires_at",
});

interface Tables {
  readonly test_login: ReturnType<typeof toRow>;
}

export async function insertTestLogin(queries: Queries, login: StoredTestLogin): Promise<void> {
  await queries.tables<Tables>().insertInto("test_login").values(toRow(login)).execute();
}

export async function findTestLogin(queries: Queries, id: string): Promise<StoredTestLogin | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("test_login")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toItem(row);
}

/** Whether a browser may be at the provider for a test login through a protocol. */
export async function isTestBegun(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  now: Moment,
): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("test_login")
    .select("id")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .where("browser", "is not", null)
    .where("begun_at", "is not", null)
    .where("sealed_result", "is", null)
    .where("expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns Whether it had not begun before. */
export async function markBegun(queries: Queries, id: string, begunAt: Moment): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<Tables>()
    .updateTable("test_login")
    .set({ begun_at: begunAt })
    .where("id", "=", id)
    .where("begun_at", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The first result counts. @returns Whether this is it. */
export async function putResult(queries: Queries, id: string, sealedResult: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<Tables>()
    .updateTable("test_login")
    .set({ sealed_result: sealedResult })
    .where("id", "=", id)
    .where("sealed_result", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Deletes all but the newest test logins of a user. */
export async function deleteSurplus(queries: Queries, userId: string, kept: number): Promise<void> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("test_login")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  const surplus = rows.slice(kept).map(({ id }) => id);
  if (surplus.length === 0) return;
  await queries.tables<Tables>().deleteFrom("test_login").where("id", "in", surplus).execute();
}

const MAX_DELETED = 200;

/** @returns Whether there may be more. */
export async function deleteExpiredTests(queries: Queries, now: Moment): Promise<boolean> {
  const tables = queries.tables<Tables>();
  const expired = tables
    .selectFrom("test_login")
    .select("id")
    .where("expires_at", "<=", now)
    .limit(MAX_DELETED);
  const { numDeletedRows } = await tables
    .deleteFrom("test_login")
    .where("id", "in", expired)
    .executeTakeFirstOrThrow();
  return numDeletedRows === BigInt(MAX_DELETED);
}
