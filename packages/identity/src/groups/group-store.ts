/** The questions that groups ask of the database. */
import type { Insertable, Selectable } from "kysely";

import { parseAttributes, type Attributes } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { isOneOfPlaces, type NamedPlace } from "../platform/database/named-places.js";
import { isUnique } from "../platform/database/unique-write.js";
import { filterCondition, type ListFilter } from "../platform/http/lists/list-filters.js";
import { groupIdsOfUser } from "./current-members.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";

/** Users of any domain, who have the roles that are given to the group. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly description: string | null;
  readonly extra: Attributes;
}

interface GroupRow {
  id: string;
  name: string;
  domain_id: string;
  description: string | null;
  extra: string;
}

interface Tables {
  readonly group: GroupRow;
  readonly group_member: { group_id: string; user_id: string };
  readonly assignment: { group_id: string | null };
}

/** Fields that a list may be filtered by. */
export const GROUP_FILTERS = ["domain_id", "name"] as const;

export interface GroupQuery {
  readonly filters: readonly ListFilter<(typeof GROUP_FILTERS)[number]>[];
  readonly page: Page;
  /** The domain that the groups have to be of; any if left out. */
  readonly domainId?: string | undefined;
  /** The user who has to be in them at that moment; anybody or nobody if left out. */
  readonly member?: { readonly id: string; readonly at: Moment };
}

/** Those that are on the page, and one more if there is another page. */
export async function listGroups(queries: Queries, query: GroupQuery): Promise<Group[]> {
  const { filters, page, domainId, member } = query;
  let select = queries
    .tables<Tables>()
    .selectFrom("group")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  for (const filter of filters) select = select.where((eb) => filterCondition(filter, eb.ref(filter.field)));
  if (domainId !== undefined) select = select.where("domain_id", "=", domainId);
  if (member !== undefined) select = select.where("id", "in", groupIdsOfUser(member.id, member.at));
  const wanted = rowsWanted(page);
  if (wanted !== undefined) select = select.limit(wanted);
  return (await select.execute()).map(toGroup);
}

export async function findGroup(queries: Queries, id: string): Promise<Group | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("group")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toGroup(row);
}

export async function findGroupByName(
  queries: Queries,
  { name, domainId }: { readonly name: string; readonly domainId: string },
): Promise<Group | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("group")
    .selectAll()
    .where("domain_id", "=", domainId)
    .where("name", "=", name)
    .executeTakeFirst();
  return row && toGroup(row);
}

/** Those of the ids that exist. */
export async function findGroupsById(queries: Queries, ids: readonly string[]): Promise<Group[]> {
  if (ids.length === 0) return [];
  const all = queries.tables<Tables>().selectFrom("group").selectAll();
  return (await all.where("id", "in", ids).execute()).map(toGroup);
}

/** Those that exist of the groups of these names in these domains. */
export async function findGroupsByName(queries: Queries, places: readonly NamedPlace[]): Promise<Group[]> {
  if (places.length === 0) return [];
  const all = queries.tables<Tables>().selectFrom("group").selectAll();
  return (await all.where(isOneOfPlaces(places)).execute()).map(toGroup);
}

/** Whether it was added: not if there is one of this name in the domain. */
export function insertGroup(queries: Queries, group: Group): Promise<boolean> {
  return isUnique(() => queries.tables<Tables>().insertInto("group").values(toRow(group)).execute());
}

/** Whether it was changed: not if there is another one of this name in the domain. */
export function updateGroup(queries: Queries, group: Group): Promise<boolean> {
  return isUnique(() =>
    queries.tables<Tables>().updateTable("group").set(toRow(group)).where("id", "=", group.id).execute(),
  );
}

/** Deletes it; memberships and assignments end with it. */
export async function deleteGroup(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("group").where("id", "=", id).execute();
}

/** The users who have roles through the group: its members, if any role is given to it. */
export async function usersWithRolesThrough(queries: Queries, id: string): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("group_member")
    .select("user_id")
    .where("group_id", "=", id)
    .where((eb) => eb.exists(eb.selectFrom("assignment").select("group_id").where("group_id", "=", id)))
    .execute();
  return rows.map(({ user_id }) => user_id);
}

function toGroup({ id, name, domain_id, description, extra }: Selectable<GroupRow>): Group {
  return { id, name, domainId: domain_id, description, extra: parseAttributes(extra) };
}

function toRow({ id, name, domainId, description, extra }: Group): Insertable<GroupRow> {
  return { id, name, domain_id: domainId, description, extra: JSON.stringify(extra) };
}
