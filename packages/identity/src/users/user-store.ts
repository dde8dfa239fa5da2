/** Users in the database. Passwords are in `password-store.ts`. */
import { sql, type RawBuilder, type SqlBool } from "kysely";

import type { Attributes } from "../platform/attributes.js";
import { userIdsInGroup } from "../groups/membership-store.js";
import type { Moment } from "../platform/clock.js";
import type { Database, Queries, Transaction } from "../platform/database/database.js";
import {
  rowCountOf,
  filterCondition,
  matching,
  pageOf,
  json,
  tableOf,
  orConflict,
  type ListQuery,
  type RowOf,
  type ConflictOf,
} from "../platform/database/table.js";
import { type Named, type DomainScopedName, findNames } from "../platform/database/domain-scoped-names.js";
import { required } from "../platform/errors.js";
import type { ListFilter } from "../platform/http/lists/list-filters.js";
import type { ExpiryFilter, FEDERATED_FILTERS, USER_FILTERS } from "./user-filters.js";
import type { Activity, LoginFailures } from "../passwords/account-lockout.js";
import { currentPasswordExpiry, exactPasswordExpiry } from "../passwords/password-store.js";
import { UserNotFoundError } from "./user-errors.js";
import type { UserOptions } from "./user-options.js";

/** A person or a program that can log in. */
export interface User extends Activity {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly enabled: boolean;
  readonly defaultProjectId: string | null;
  readonly options: UserOptions;
  readonly extra: Attributes;
  /** When the current password expires; `null` if never, or without a password. */
  readonly passwordExpiresAt: Moment | null;
  /** A directory has the user, and may have been asked some time ago. */
  readonly isOfDirectory?: true;
}

const userTable = tableOf<Omit<User, "passwordExpiresAt" | "isOfDirectory">>()(
  "user",
  {
    id: "id",
    name: "name",
    domainId: "domain_id",
    enabled: "enabled",
    defaultProjectId: "default_project_id",
    options: json("options"),
    extra: json("extra"),
    createdAt: "created_at",
    lastActiveAt: "last_active_at",
  },
  UserNotFoundError,
);

type UserRow = RowOf<typeof userTable> & {
  /** Whether it is a shadow user, whose name is not unique. */
  is_federated: boolean;
  failed_logins: number;
  last_failed_at: Moment | null;
};

interface Tables {
  readonly user: UserRow;
  readonly user_password: { user_id: string; number: number; hash: string };
  readonly federated_user: { idp_id: string; protocol_id: string; unique_id: string; user_id: string };
  readonly project: { id: string; name: string; is_domain: boolean; enabled: boolean };
  readonly nonlocal_user: { user_id: string };
}

/** A user's identity at a provider, by one of its protocols. */
export interface FederatedIdentity {
  readonly idpId: string;
  readonly protocolId: string;
  /** The user's name or id from the provider's mapping. */
  readonly uniqueId: string;
}

export interface UserQuery extends ListQuery<(typeof USER_FILTERS)[number]> {
  /** Conditions on the expiry of the password. */
  readonly expiry: readonly ExpiryFilter[];
  readonly enabled?: boolean | undefined;
  /** The domain that the users belong to; any, if left out. */
  readonly domainId?: string | undefined;
  /** A group that the users are in at a moment; any, if left out. */
  readonly group?: { readonly id: string; readonly at: Moment };
  /** Conditions on one of the users' identities; none, if empty. */
  readonly federated?: readonly ListFilter<(typeof FEDERATED_FILTERS)[number]>[];
  /** Whether to leave out users of directories, which list them themselves. */
  readonly withoutMirrors?: boolean;
}

/** The e-mail address, which is an attribute of the client. */
function emailOf(kind: Database["kind"]) {
  return kind === "sqlite"
    ? sql<string | null>`json_extract("user".extra, '$.email')`
    : sql<string | null>`("user".extra::json ->> 'email')`;
}

/** Conditions on users, whatever the page. */
export type UserConditions = Omit<UserQuery, "page">;

/** A page of the users, and one more if there is another page. */
export async function listUsers(queries: Queries, query: UserQuery, kind: Database["kind"]): Promise<User[]> {
  const users = narrowed(queries, query);
  return (await pageOf(users, "user.id", query, searchedTexts(kind)).execute()).map(toUser);
}

/** The number of the users on all pages. */
export function countUsers(queries: Queries, query: UserConditions, kind: Database["kind"]): Promise<number> {
  return rowCountOf(matching(narrowed(queries, query), "user.id", query, searchedTexts(kind)));
}

/** What a search looks into, next to the id. */
const searchedTexts = (kind: Database["kind"]) => [sql.ref<string>("user.name"), emailOf(kind)];

function narrowed(queries: Queries, query: UserConditions) {
  const { expiry, enabled, domainId, group, federated = [], withoutMirrors = false } = query;
  let users = selectUsers(queries);
  for (const { operator, moment } of expiry)
    users = users.where((eb) => currentPasswordExpiry(eb.ref("user.id")), operator, moment);
  if (enabled !== undefined) users = users.where("user.enabled", "=", enabled);
  if (domainId !== undefined) users = users.where("user.domain_id", "=", domainId);
  if (group !== undefined) users = users.where("user.id", "in", userIdsInGroup(group.id, group.at));
  if (federated.length > 0)
    users = users.where("user.id", "in", (eb) =>
      eb
        .selectFrom("federated_user")
        .select("user_id")
        .where((row) => row.and(federated.map((filter) => filterCondition(filter, row.ref(filter.field))))),
    );
  if (withoutMirrors)
    users = users
      .where(sql<SqlBool>`"user".id not in (select public_id from id_mapping)`)
      // Of a mapping that was purged, too.
      .where(sql<SqlBool>`"user".id not in (select user_id from nonlocal_user)`);
  return users;
}

export async function findUser(queries: Queries, id: string): Promise<User | undefined> {
  const row = await selectUsers(queries).where("user.id", "=", id).executeTakeFirst();
  return row && toUser(row);
}

/** @throws {UserNotFoundError} */
export function requireUser(queries: Queries, id: string): Promise<User> {
  return required(findUser(queries, id), () => new UserNotFoundError(id));
}

/** Shadow users are not found: their names are not unique. */
export async function findUserByName(
  queries: Queries,
  { name, domainId }: DomainScopedName,
): Promise<User | undefined> {
  const row = await selectUsers(queries)
    .where("user.domain_id", "=", domainId)
    .where("user.name", "=", name)
    .where("user.is_federated", "=", false)
    .executeTakeFirst();
  return row && toUser(row);
}

/** Users, and when their current password expires. */
export function selectUsers(queries: Queries) {
  return queries
    .tables<Tables>()
    .selectFrom("user")
    .selectAll("user")
    .select((eb) => exactPasswordExpiry(eb.ref("user.id")).as("password_expires_at"));
}

/**
 * The name of a user is unique in the domain, except for shadow users.
 *
 * @param options.conflict What to throw where it is not.
 */
export async function insertUser(
  queries: Queries,
  user: User,
  { isFederated = false, conflict }: { readonly isFederated?: boolean; readonly conflict?: ConflictOf } = {},
): Promise<void> {
  const row = { ...userTable.toRow(user), is_federated: isFederated, failed_logins: 0, last_failed_at: null };
  await orConflict(() => queries.tables<Tables>().insertInto("user").values(row).execute(), conflict);
}

/** A user of a directory, as far as a row has it, so that grants, names and memberships refer to the row. */
export type MirroredUser = Pick<User, "id" | "name" | "domainId" | "enabled">;

/** Of these users, those whose row is missing or differs. */
export async function outdatedMirrors(
  queries: Queries,
  users: readonly MirroredUser[],
): Promise<MirroredUser[]> {
  const rows = new Map<string, MirroredUser>();
  for (let at = 0; at < users.length; at += MAX_MIRRORED)
    for (const { id, name, domain_id, enabled } of await queries
      .tables<Tables>()
      .selectFrom("user")
      .select(["id", "name", "domain_id", "enabled"])
      .where(
        "id",
        "in",
        users.slice(at, at + MAX_MIRRORED).map((user) => user.id),
      )
      .execute())
      rows.set(id, { id, name, domainId: domain_id, enabled });
  return users.filter((user) => {
    const row = rows.get(user.id);
    return row === undefined || row.name !== user.name || row.enabled !== user.enabled;
  });
}

/** Users of one statement. */
const MAX_MIRRORED = 200;

/** Writes the rows of users of a directory. Their names need not be unique, and inactivity does not disable them. */
export async function mirrorUsers(
  queries: Queries,
  users: readonly MirroredUser[],
  now: Moment,
): Promise<void> {
  for (let at = 0; at < users.length; at += MAX_MIRRORED) {
    const rows = users.slice(at, at + MAX_MIRRORED).map(({ id, name, domainId, enabled }) =>
      Object.assign(
        userTable.toRow({
          id,
          name,
          domainId,
          enabled,
          defaultProjectId: null,
          options: { ignore_user_inactivity: true },
          extra: {},
          createdAt: now,
          lastActiveAt: null,
        }),
        { is_federated: true, failed_logins: 0, last_failed_at: null },
      ),
    );
    await queries
      .tables<Tables>()
      .insertInto("user")
      .values(rows)
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet((eb) => ({
          name: eb.ref("excluded.name"),
          enabled: eb.ref("excluded.enabled"),
          is_federated: true,
        })),
      )
      .execute();
    // Keystone's table of users whose passwords are elsewhere, for an export.
    await queries
      .tables<Tables>()
      .insertInto("nonlocal_user")
      .values(rows.map(({ id }) => ({ user_id: id })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Whether a row is that of a directory's user. */
export async function isMirror(queries: Queries, id: string): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("nonlocal_user")
    .select("user_id")
    .where("user_id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Disables the row of a user who is no longer in the directory. @returns Whether it was enabled. */
export async function disableMirror(queries: Queries, id: string): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<Tables>()
    .updateTable("user")
    .set({ enabled: false })
    .where("id", "=", id)
    .where("enabled", "=", true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Disables the rows of users whose ids are no longer mapped to a directory: until it is asked for them again, they have no valid tokens. */
export async function disableMirrors(queries: Queries, ids: readonly string[]): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("user")
    .set({ enabled: false })
    .where("id", "in", ids)
    .where("is_federated", "=", true)
    .execute();
}

/** The ids of a domain's users, as a subquery. */
export function userIdsOfDomain(domainId: string): RawBuilder<string> {
  return sql<string>`(select id from "user" where domain_id = ${domainId})`;
}

/** @param conflict What to throw where the name is not unique in the domain. */
export function updateUser(queries: Queries, user: User, conflict?: ConflictOf): Promise<void> {
  return userTable.update(queries, user, conflict);
}

/** Passwords, identities, memberships and grants are deleted with it. */
export async function deleteUser(transaction: Transaction, id: string): Promise<void> {
  await userTable.delete(transaction, id);
  transaction.publish({ resource: "user", operation: "deleted", id });
}

/** Stores failed logins, or their reset. */
export async function setFailures(
  queries: Queries,
  id: string,
  { count, lastAt }: LoginFailures,
): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("user")
    .set({ failed_logins: count, last_failed_at: lastAt })
    .where("id", "=", id)
    .execute();
}

/** The failed logins of a user; `undefined` if the user does not exist. */
export async function findFailures(queries: Queries, id: string): Promise<LoginFailures | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("user")
    .select(["failed_logins", "last_failed_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row && { count: row.failed_logins, lastAt: row.last_failed_at };
}

export async function setLastActive(queries: Queries, id: string, moment: Moment): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("user")
    .set({ last_active_at: moment })
    .where("id", "=", id)
    .execute();
}

/** Removes a project as the default project of users. */
export async function forgetDefaultProject(queries: Queries, projectId: string): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("user")
    .set({ default_project_id: null })
    .where("default_project_id", "=", projectId)
    .execute();
}

export function toUser(row: RowOf<typeof userTable> & { readonly password_expires_at: Moment | null }): User {
  return Object.assign(userTable.toItem(row), { passwordExpiresAt: row.password_expires_at });
}

/** The columns that {@link updateUser} sets. */
export const toUserRow = userTable.toRow;

/** The names of users, by id. */
export const userNames = (queries: Queries, ids: ReadonlySet<string>): Promise<Map<string, Named>> =>
  findNames(queries, "user", ids);
