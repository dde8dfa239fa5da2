/** Groups in the database. */
import type { Attributes } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { ListQuery } from "../platform/database/list-query.js";
import { type Named, type NamedPlace, findNames, isOneOfPlaces } from "../platform/database/named-places.js";
import { json, tableOf } from "../platform/database/table.js";
import { GroupNotFoundError } from "./group-errors.js";
import { groupIdsOfUser } from "./membership-store.js";

/** A group of users of any domain, who have the roles that are granted to the group. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly description: string | null;
  readonly extra: Attributes;
}

/** A deleted group takes its memberships and grants along. */
export const groupTable = tableOf<Group>()(
  "group",
  {
    id: "id",
    name: "name",
    domainId: "domain_id",
    description: "description",
    extra: json("extra"),
  },
  GroupNotFoundError,
);

/** Columns that a list may be filtered by. */
export const GROUP_FILTERS = ["domain_id", "name"] as const;

export interface GroupQuery extends ListQuery<(typeof GROUP_FILTERS)[number]> {
  /** The domain that the groups belong to; any, if left out. */
  readonly domainId?: string | undefined;
  /** A member of the groups at a moment; any, if left out. */
  readonly member?: { readonly id: string; readonly at: Moment };
}

export function listGroups(queries: Queries, { domainId, member, ...query }: GroupQuery): Promise<Group[]> {
  return groupTable.list(queries, query, (all) => {
    let groups = all;
    if (domainId !== undefined) groups = groups.where("domain_id", "=", domainId);
    if (member !== undefined) groups = groups.where("id", "in", groupIdsOfUser(member.id, member.at));
    return groups;
  });
}

export function findGroupByName(
  queries: Queries,
  { name, domainId }: NamedPlace,
): Promise<Group | undefined> {
  const groups = groupTable.select(queries);
  return groupTable.first(groups.where("domain_id", "=", domainId).where("name", "=", name));
}

/** The groups of these ids that exist. */
export async function findGroupsById(queries: Queries, ids: readonly string[]): Promise<Group[]> {
  return ids.length === 0 ? [] : groupTable.all(groupTable.select(queries).where("id", "in", ids));
}

/** The groups of these names and domains that exist. */
export async function findGroupsByName(queries: Queries, places: readonly NamedPlace[]): Promise<Group[]> {
  return places.length === 0 ? [] : groupTable.all(groupTable.select(queries).where(isOneOfPlaces(places)));
}

/** The names of groups, by id. */
export const groupNames = (queries: Queries, ids: ReadonlySet<string>): Promise<Map<string, Named>> =>
  findNames(queries, "group", ids);
