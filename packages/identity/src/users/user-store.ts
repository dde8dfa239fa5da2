/** The questions that users ask of the database. Their passwords are in `password-store.ts`. */
import type { Insertable, Selectable } from "kysely";

import { parseAttributes, type Attributes } from "../platform/attributes.js";
import { userIdsInGroup } from "../groups/current-members.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { isUnique } from "../platform/database/unique-write.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";
import type { ExpiryFilter } from "./password-expiry-filter.js";
import type { Activity, LoginFailures } from "../passwords/password-rules.js";
import type { UserOptions } from "./user-options.js";

/** Somebody, or something, that can log in. */
export interface User extends Activity {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly enabled: boolean;
  readonly defaultProjectId: string | null;
  readonly options: UserOptions;
  readonly extra: Attributes;
  /** When the present password has to be changed; `null` if never, or if there is none. */
  readonly passwordExpiresAt: Moment | null;
}

export interface UserRow {
  id: string;
  name: string;
  domain_id: string;
  enabled: boolean;
  /** Whether an identity provider has brought it, and calls it what it wants. */
  is_federated: boolean;
  default_project_id: string | null;
  options: string;
  extra: string;
  created_at: Moment;
  last_active_at: Moment | null;
  failed_logins: number;
  last_failed_at: Moment | null;
}

interface Tables {
  readonly user: UserRow;
  readonly user_password: { user_id: string; number: number; hash: string; expires_at: Moment | null };
  readonly federated_user: { idp_id: string; protocol_id: string; unique_id: string; user_id: string };
  readonly project: { id: string; name: string; is_domain: boolean; enabled: boolean };
}

/** As whom a provider knows somebody, by one of its protocols. */
export interface FederatedIdentity {
  readonly idpId: string;
  readonly protocolId: string;
  /** What the provider's mapping has made of the user's name or id. */
  readonly uniqueId: string;
}

/** Fields by which a list may be filtered as whom providers know users. */
export const FEDERATED_FILTERS = ["idp_id", "protocol_id", "unique_id"] as const;

/** Fields of text that a list may be filtered by. */
export const USER_FILTERS = ["domain_id", "name"] as const;

export interface UserQuery {
  readonly filters: readonly ListFilter<(typeof USER_FILTERS)[number]>[];
  readonly expiry: readonly ExpiryFilter[];
  readonly page: Page;
  /** Whether they have to be enabled, or disabled. */
  readonly enabled?: boolean | undefined;
  /** The domain that the users have to be of; any if left out. */
  readonly domainId?: string | undefined;
  /** The group that they have to be in at that moment; any or none if left out. */
  readonly group?: { readonly id: string; readonly at: Moment };
  /** As whom one protocol of a provider has to know them; anybody if there are none. */
  readonly federated?: readonly ListFilter<(typeof FEDERATED_FILTERS)[number]>[];
}

/** Those that are on the page, and one more if there is another page. */
export async function listUsers(queries: Queries, query: UserQuery): Promise<User[]> {
  const { filters, expiry, page, enabled, domainId, group, federated = [] } = query;
  let select = selectUsers(queries)
    .where((eb) => afterMarker(page, eb.ref("user.id")))
    .orderBy("user.id");
  for (const filter of filters)
    select = select.where((eb) => filterCondition(filter, eb.ref(`user.${filter.field}`)));
  for (const { operator, moment } of expiry) select = select.where("password.expires_at", operator, moment);
  if (enabled !== undefined) select = select.where("user.enabled", "=", enabled);
  if (domainId !== undefined) select = select.where("user.domain_id", "=", domainId);
  if (group !== undefined) select = select.where("user.id", "in", userIdsInGroup(group.id, group.at));
  if (federated.length > 0)
    select = select.where("user.id", "in", (eb) =>
      eb
        .selectFrom("federated_user")
        .select("user_id")
        .where((row) => row.and(federated.map((filter) => filterCondition(filter, row.ref(filter.field))))),
    );
  const wanted = rowsWanted(page);
  if (wanted !== undefined) select = select.limit(wanted);
  return (await select.execute()).map(toUser);
}

export async function findUser(queries: Queries, id: string): Promise<User | undefined> {
  const row = await selectUsers(queries).where("user.id", "=", id).executeTakeFirst();
  return row && toUser(row);
}

/** Users of identity providers are not found: their names are not unique. */
export async function findUserByName(
  queries: Queries,
  { name, domainId }: { readonly name: string; readonly domainId: string },
): Promise<User | undefined> {
  const row = await selectUsers(queries)
    .where("user.domain_id", "=", domainId)
    .where("user.name", "=", name)
    .where("user.is_federated", "=", false)
    .executeTakeFirst();
  return row && toUser(row);
}

/** Users with the greatest, that is the present, of their passwords. */
export function selectUsers(queries: Queries) {
  return queries
    .tables<Tables>()
    .selectFrom("user")
    .leftJoin("user_password as password", (join) =>
      join.onRef("password.user_id", "=", "user.id").on("password.number", "=", (eb) =>
        eb
          .selectFrom("user_password as each")
          .select(({ fn }) => fn.max("each.number").as("number"))
          .whereRef("each.user_id", "=", "user.id"),
      ),
    )
    .selectAll("user")
    .select("password.expires_at as password_expires_at");
}

/** Whether it was added: not if there is one of this name in the domain, unless a provider has brought this one. */
export function insertUser(
  queries: Queries,
  user: User,
  { isFederated = false }: { readonly isFederated?: boolean } = {},
): Promise<boolean> {
  const row = { ...toRow(user), is_federated: isFederated, failed_logins: 0, last_failed_at: null };
  return isUnique(() => queries.tables<Tables>().insertInto("user").values(row).execute());
}

/** Whether it was changed: not if there is another one of this name in the domain. */
export function updateUser(queries: Queries, user: User): Promise<boolean> {
  return isUnique(() =>
    queries.tables<Tables>().updateTable("user").set(toRow(user)).where("id", "=", user.id).execute(),
  );
}

/** Notes failed logins, or that there are none any longer. */
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

/** The failed logins of a user; `undefined` if there is no such user. */
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

/** Deletes it; passwords, memberships and assignments end with it. */
export async function deleteUser(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("user").where("id", "=", id).execute();
}

/** Takes a project that ends from those whose default it is. */
export async function forgetDefaultProject(queries: Queries, projectId: string): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("user")
    .set({ default_project_id: null })
    .where("default_project_id", "=", projectId)
    .execute();
}

export function toUser(row: Selectable<UserRow> & { readonly password_expires_at: Moment | null }): User {
  return {
    id: row.id,
    name: row.name,
    domainId: row.domain_id,
    enabled: row.enabled,
    defaultProjectId: row.default_project_id,
    options: parseAttributes(row.options),
    extra: parseAttributes(row.extra),
    createdAt: row.created_at,
    lastActiveAt: row.last_active_at,
    passwordExpiresAt: row.password_expires_at,
  };
}

function toRow(user: User): Omit<Insertable<UserRow>, "is_federated" | "failed_logins" | "last_failed_at"> {
  return {
    id: user.id,
    name: user.name,
    domain_id: user.domainId,
    enabled: user.enabled,
    default_project_id: user.defaultProjectId,
    options: JSON.stringify(user.options),
    extra: JSON.stringify(user.extra),
    created_at: user.createdAt,
    last_active_at: user.lastActiveAt,
  };
}
