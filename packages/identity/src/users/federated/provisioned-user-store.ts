/** Users whom identity providers push by SCIM, in the database: who owns them, and what the provider says of them. */
import { sql, type QueryCreator, type SqlBool } from "kysely";

import type { Moment } from "../../platform/clock.js";
import type { Database, Queries } from "../../platform/database/database.js";
import { json, rowsOf } from "../../platform/database/table.js";
import { likePattern } from "../../platform/http/lists/list-filters.js";
import { toNfc } from "../../platform/text/name-characters.js";
import {
  selectUsers,
  toUser,
  toUserRow,
  updateUser,
  type FederatedIdentity,
  type User,
} from "../user-store.js";

/** What of a pushed user identifies it at logins. */
export const SCIM_UNIQUE_IDS = ["userName", "externalId"] as const;
export type ScimUniqueId = (typeof SCIM_UNIQUE_IDS)[number];

/** A user whom a provider has pushed. Its row in `user` is that of a shadow user. */
export interface ProvisionedUser {
  readonly userId: string;
  readonly idpId: string;
  /** What {@link uniqueKeyOf} makes. */
  readonly uniqueKey: string;
  readonly userName: string;
  readonly externalId: string | null;
  /** Of SCIM's schema, by the names there; without those that have members here. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Greater after each change. */
  readonly version: number;
  readonly createdAt: Moment;
  readonly updatedAt: Moment;
}

const { toItem, toRow } = rowsOf<ProvisionedUser>()({
  userId: "user_id",
  idpId: "idp_id",
  uniqueKey: "unique_key",
  userName: "user_name",
  externalId: "external_id",
  attributes: json("attributes"),
  version: "version",
  createdAt: "created_at",
  updatedAt: "updated_at",
});

type ProvisionedUserRow = ReturnType<typeof toRow> & { user_name_key: string };

interface Tables {
  readonly provisioned_user: ProvisionedUserRow;
  readonly user: ReturnType<typeof toUserRow>;
  readonly group_member: { group_id: string; user_id: string };
}

/** Case does not matter in names (RFC 7643, section 4.1.1). */
export function foldedName(name: string): string {
  return toNfc(name).toLowerCase();
}

/**
 * The key of a pushed user, by which logins find it. Of names, only the case of ASCII letters does not matter: the Kelvin sign is a k in
 * lower case, and who has it in the name at a provider is someone else there.
 *
 * @param value The user name, or the id at the provider.
 */
export function uniqueKeyOf(by: ScimUniqueId, value: string): string {
  return by === "userName"
    ? `n:${value.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}`
    : `x:${value}`;
}

/** The keys that a login's id at the provider may have; such an id is percent-encoded. */
export function keysOfLogin(uniqueId: string): string[] {
  let value = uniqueId;
  try {
    value = decodeURIComponent(uniqueId);
  } catch {
    // Stored by hand.
  }
  return [uniqueKeyOf("userName", value), uniqueKeyOf("externalId", value)];
}

/** The id of the user whom a provider has pushed with an id of logins. */
export async function findProvisionedId(
  queries: Queries,
  { idpId, uniqueId }: Pick<FederatedIdentity, "idpId" | "uniqueId">,
): Promise<string | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("provisioned_user")
    .select("user_id")
    .where("idp_id", "=", idpId)
    .where("unique_key", "in", keysOfLogin(uniqueId))
    .executeTakeFirst();
  return row?.user_id;
}

/** The provider that has pushed a user; `undefined` for other users. */
export async function provisioningProviderOf(queries: Queries, userId: string): Promise<string | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("provisioned_user")
    .select("idp_id")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row?.idp_id;
}

export async function hasProvisionedUsers(queries: Queries, idpId: string): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("provisioned_user")
    .select("user_id")
    .where("idp_id", "=", idpId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A column whose values one user of a provider has. */
export interface ProvisionedUserMatch {
  readonly column: "user_id" | "user_name_key" | "external_id" | "unique_key";
  readonly value: string;
}

export interface ListedProvisionedUser extends ProvisionedUser {
  readonly enabled: boolean;
}

function selectProvisioned(queries: Queries, idpId: string, matches: readonly ProvisionedUserMatch[] = []) {
  let rows = queries.tables<Tables>().selectFrom("provisioned_user").where("idp_id", "=", idpId);
  for (const { column, value } of matches) rows = rows.where(`provisioned_user.${column}`, "=", value);
  return rows;
}

/** The user of a provider that has all these values. */
export async function findProvisionedUser(
  queries: Queries,
  idpId: string,
  ...matches: readonly ProvisionedUserMatch[]
): Promise<ProvisionedUser | undefined> {
  const row = await selectProvisioned(queries, idpId, matches).selectAll().executeTakeFirst();
  return row && toItem(row);
}

/** What no other user of a provider may have; `null` if it has none. */
export interface UniqueValues extends Pick<ProvisionedUser, "externalId" | "uniqueKey"> {
  /** The {@link foldedName}. */
  readonly userNameKey: string;
}

/** Users of a provider that have one of these values. */
export async function usersWithAny(
  queries: Queries,
  idpId: string,
  { userNameKey, externalId, uniqueKey }: UniqueValues,
): Promise<(UniqueValues & Pick<ProvisionedUser, "userId">)[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("provisioned_user")
    .select(["user_id", "user_name_key", "external_id", "unique_key"])
    // The provider in each of them: so they are found by three indexes.
    .where((eb) =>
      eb.or([
        eb.and({ idp_id: idpId, user_name_key: userNameKey }),
        eb.and({ idp_id: idpId, unique_key: uniqueKey }),
        ...(externalId === null ? [] : [eb.and({ idp_id: idpId, external_id: externalId })]),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    userNameKey: row.user_name_key,
    externalId: row.external_id,
    uniqueKey: row.unique_key,
  }));
}

/** A user whom a provider has pushed, and the user of the service that it is. */
export async function findPushedAccount(
  queries: Queries,
  { idpId, userId }: Pick<ProvisionedUser, "idpId" | "userId">,
): Promise<{ readonly pushed: ProvisionedUser; readonly user: User } | undefined> {
  const pushed = selectProvisioned(queries, idpId, [{ column: "user_id", value: userId }]).selectAll();
  const row = await selectUsers(queries)
    .innerJoin(pushed.as("pushed"), "pushed.user_id", "user.id")
    .selectAll("pushed")
    .select(["user.created_at as created_at", "pushed.created_at as pushed_at"])
    .where("user.id", "=", userId)
    .executeTakeFirst();
  return row && { pushed: toItem({ ...row, created_at: row.pushed_at }), user: toUser(row) };
}

export async function countProvisionedUsers(queries: Queries, idpId: string): Promise<number> {
  const { count } = await selectProvisioned(queries, idpId)
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Which of a provider's users to read, in the order of their ids. */
export interface ProvisionedUserQuery {
  readonly matches?: readonly ProvisionedUserMatch[];
  readonly limit: number;
  readonly offset?: number;
  /** Users behind this id. */
  readonly after?: string;
  /** Users up to this id. */
  readonly upTo?: string | undefined;
  /** Texts that the JSON of the attributes has, in any case of ASCII letters. */
  readonly texts?: readonly string[];
}

export async function listProvisionedUsers(
  queries: Queries,
  idpId: string,
  { matches, limit, offset, after, upTo, texts = [] }: ProvisionedUserQuery,
): Promise<ListedProvisionedUser[]> {
  let rows = selectProvisioned(queries, idpId, matches)
    .innerJoin("user", "user.id", "provisioned_user.user_id")
    .selectAll("provisioned_user")
    .select("user.enabled")
    .orderBy("provisioned_user.user_id")
    .limit(limit);
  if (after !== undefined) rows = rows.where("provisioned_user.user_id", ">", after);
  if (upTo !== undefined) rows = rows.where("provisioned_user.user_id", "<=", upTo);
  if (offset !== undefined) rows = rows.offset(offset);
  for (const text of texts)
    rows = rows.where(
      sql<SqlBool>`lower(provisioned_user.attributes) like ${anyCasePattern(text)} escape '!'`,
    );
  return (await rows.execute()).map(({ enabled, ...row }) => Object.assign(toItem(row), { enabled }));
}

/** Letters k of a pattern: with many wildcards, a search may take the square of the time. */
const MAX_KS = 3;

/** The Kelvin sign is a k in lower case, too, for all but a database. */
function anyCasePattern(text: string): string {
  const start = text
    .toLowerCase()
    .split("k")
    .slice(0, MAX_KS + 1);
  return likePattern("contains", start.join("k")).replaceAll("k", "_");
}

/** The id of the last of some users behind an id; `undefined` if there are not so many. */
export async function userIdBehind(
  queries: Queries,
  idpId: string,
  { after, count }: { readonly after: string; readonly count: number },
): Promise<string | undefined> {
  const row = await selectProvisioned(queries, idpId)
    .select("user_id")
    .where("user_id", ">", after)
    .orderBy("user_id")
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst();
  return row?.user_id;
}

export async function insertProvisionedUser(queries: Queries, user: ProvisionedUser): Promise<void> {
  const row = { ...toRow(user), user_name_key: foldedName(user.userName) };
  await queries.tables<Tables>().insertInto("provisioned_user").values(row).execute();
}

export interface PushedAccountChange {
  readonly pushed: ProvisionedUser;
  /** `undefined` if it stays as it is. */
  readonly user: User | undefined;
}

export async function updatePushedAccount(
  queries: Queries,
  kind: Database["kind"],
  { pushed, user }: PushedAccountChange,
): Promise<void> {
  const tables = queries.tables<Tables>();
  const update = (creator: QueryCreator<Tables>) =>
    creator
      .updateTable("provisioned_user")
      .set({ ...toRow(pushed), user_name_key: foldedName(pushed.userName) })
      .where("user_id", "=", pushed.userId);
  if (user !== undefined && kind === "postgres") {
    // One statement: other changes wait for this transaction.
    await update(
      tables.with("account", (creator) =>
        creator.updateTable("user").set(toUserRow(user)).where("id", "=", user.id).returning("id"),
      ),
    ).execute();
    return;
  }
  if (user !== undefined) await updateUser(queries, user);
  await update(tables).execute();
}

/** Ids of one statement. */
const MAX_CHECKED_IDS = 500;

/** Those of the ids that are users whom the provider has pushed. */
export async function provisionedIdsAmong(
  queries: Queries,
  idpId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += MAX_CHECKED_IDS) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom("provisioned_user")
      .select("user_id")
      .where("user_id", "in", ids.slice(at, at + MAX_CHECKED_IDS))
      .where("idp_id", "=", idpId)
      .execute();
    for (const { user_id: userId } of rows) found.add(userId);
  }
  return found;
}

export interface ProvisionedMember {
  readonly userId: string;
  readonly userName: string;
}

/** Members of a group whom the provider has pushed, in the order of their ids, from behind an id on. */
export async function listProvisionedMembers(
  queries: Queries,
  groupId: string,
  { idpId, after, limit }: { readonly idpId: string; readonly after: string; readonly limit: number },
): Promise<ProvisionedMember[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("provisioned_user")
    .innerJoin("group_member", "group_member.user_id", "provisioned_user.user_id")
    .select(["provisioned_user.user_id", "provisioned_user.user_name"])
    .where("group_member.group_id", "=", groupId)
    .where("group_member.user_id", ">", after)
    // An expression: by the index of the column, SQLite would read all users of the provider.
    .where(sql<SqlBool>`provisioned_user.idp_id || '' = ${idpId}`)
    .orderBy("group_member.user_id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ userId: row.user_id, userName: row.user_name }));
}
