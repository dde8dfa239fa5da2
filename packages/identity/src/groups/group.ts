/** Groups: fields, schemas, table and errors. */
import { sql, type SqlBool } from "kysely";
import { Type, type Static } from "typebox";

import type { Attributes } from "../platform/attributes.js";
import type { Moment } from "../platform/clock.js";
import { unpublished, type Queries } from "../platform/database/database.js";
import {
  findNames,
  isOneOfPlaces,
  type Named,
  type DomainScopedName,
} from "../platform/database/domain-scoped-names.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import { json, tableOf, type ListQuery } from "../platform/database/table.js";
import { ConflictError, errorClass, notFoundClass } from "../platform/errors.js";
import {
  bodyOf,
  Id,
  listQueryOf,
  Name,
  nullable,
  openObject,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";
import { groupIdsOfUser } from "./membership-store.js";

export class GroupNotFoundError extends notFoundClass("group", "groups/not-found") {}

export class GroupExistsError extends errorClass(
  ConflictError,
  "groups/exists",
  /** @param place Where; left out for a change. */
  (group: string, place?: { readonly domainId: string }) => {
    const at = place === undefined ? "" : ` at domain ID ${place.domainId}`;
    return `Conflict occurred attempting to store group - Duplicate entry found with name ${group}${at}.`;
  },
) {}

export const groupFields = declareFields({
  id: Type.String(),
  name: Type.String(),
  domain_id: Type.String(),
  description: nullable(Type.String()),
});

/** A group of users of any domain, who have the roles that are granted to the group. */
export interface Group extends ItemOf<typeof groupFields> {
  readonly extra: Attributes;
}

/** A group in responses: one of a directory may have no description at all. */
export type ShownGroup = Omit<Group, "description"> & { readonly description?: string | null };

/** A deleted group takes its memberships and grants along. */
export const groupTable = tableOf<Group>()(
  "group",
  { ...groupFields.columns, extra: json("extra") },
  GroupNotFoundError,
  { resource: "group" },
);

/** Columns that a list may be filtered by. */
export const GROUP_FILTERS = ["domain_id", "name"] as const;

export interface GroupQuery extends ListQuery<(typeof GROUP_FILTERS)[number]> {
  /** The domain that the groups belong to; any, if left out. */
  readonly domainId?: string | undefined;
  /** A member of the groups at a moment; any, if left out. */
  readonly member?: { readonly id: string; readonly at: Moment };
  /** Whether to leave out groups of directories, which list them themselves. */
  readonly withoutMirrors?: boolean;
}

export function listGroups(queries: Queries, query: GroupQuery): Promise<Group[]> {
  return groupTable.list(queries, query, narrowing(query));
}

/** The number of the groups on all pages. */
export function countGroups(queries: Queries, query: Omit<GroupQuery, "page">): Promise<number> {
  return groupTable.count(queries, query, narrowing(query));
}

function narrowing({ domainId, member, withoutMirrors = false }: Omit<GroupQuery, "page">) {
  return (all: ReturnType<typeof groupTable.select>) => {
    let groups = all;
    if (domainId !== undefined) groups = groups.where("domain_id", "=", domainId);
    if (member !== undefined) groups = groups.where("id", "in", groupIdsOfUser(member.id, member.at));
    if (withoutMirrors) groups = groups.where(sql<SqlBool>`id not in (select public_id from id_mapping)`);
    return groups;
  };
}

/** A group of a directory, as far as a row has it. */
export type MirroredGroup = Pick<Group, "id" | "name" | "domainId" | "description">;

/** Of these groups, those whose row is missing or differs. */
export async function outdatedGroupMirrors(
  queries: Queries,
  groups: readonly MirroredGroup[],
): Promise<MirroredGroup[]> {
  const ids = groups.map(({ id }) => id);
  const rows = new Map((await findGroupsById(queries, ids)).map((row) => [row.id, row]));
  return groups.filter(({ id, name }) => {
    const row = rows.get(id);
    // The id is the name where another group has the name.
    return row === undefined || (row.name !== name && row.name !== id);
  });
}

/** Writes the row of a group of a directory. Where another row has its name, the id is the name. */
export async function mirrorGroup(queries: Queries, { description, ...group }: MirroredGroup): Promise<void> {
  const other = await findGroupByName(queries, group);
  const name = other === undefined || other.id === group.id ? group.name : group.id;
  const row: Group = { ...group, name, description, extra: {} };
  if ((await groupTable.find(queries, group.id)) === undefined)
    await groupTable.insert(unpublished(queries), row);
  else await groupTable.update(unpublished(queries), row);
}

/** Deletes the rows of groups whose ids are no longer mapped to a directory. Their grants stay, for groups that are mapped to these ids again. */
export async function deleteMirroredGroups(queries: Queries, ids: readonly string[]): Promise<void> {
  await queries.tables<{ group: { id: string } }>().deleteFrom("group").where("id", "in", ids).execute();
}

export function findGroupByName(
  queries: Queries,
  { name, domainId }: DomainScopedName,
): Promise<Group | undefined> {
  const groups = groupTable.select(queries);
  return groupTable.first(groups.where("domain_id", "=", domainId).where("name", "=", name));
}

/** The groups of these ids that exist. */
export async function findGroupsById(queries: Queries, ids: readonly string[]): Promise<Group[]> {
  return ids.length === 0 ? [] : groupTable.all(groupTable.select(queries).where("id", "in", ids));
}

/** The groups of these names and domains that exist. */
export async function findGroupsByName(
  queries: Queries,
  places: readonly DomainScopedName[],
): Promise<Group[]> {
  return places.length === 0 ? [] : groupTable.all(groupTable.select(queries).where(isOneOfPlaces(places)));
}

/** The names of groups, by id. */
export const groupNames = (queries: Queries, ids: ReadonlySet<string>): Promise<Map<string, Named>> =>
  findNames(queries, "group", ids);

const description = Type.Optional(nullable(Type.String()));

export const NewGroup = bodyOf(
  "group",
  openObject({ name: Name, domain_id: Type.Optional(Id), description }),
);
/** A new group whose domain is known. */
export type NewGroup = Static<typeof NewGroup>["group"] & { readonly domain_id: string };

export const GroupChange = bodyOf(
  "group",
  openObject({ name: Type.Optional(Name), description }, { minProperties: 1 }),
);
export type GroupChange = Static<typeof GroupChange>["group"];

export const GroupListQuery = listQueryOf({ domain_id: Id, name: Name });

export const GroupView = openObject({
  ...groupFields.shape,
  // Left out where a directory has none.
  description: Type.Optional(groupFields.shape.description),
  member_count: Type.Optional(Type.Number()),
  links: SelfLink,
});

/** Members of a body that are not stored as attributes of the client. */
export const GROUP_MEMBERS = [...groupFields.names, "links", "membership_expires_at"];
