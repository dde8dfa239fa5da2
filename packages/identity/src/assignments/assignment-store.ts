/** The questions about many grants at once, and what is around them. */
import { setImmediate as nextTurn } from "node:timers/promises";

import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from "kysely";

import { groupIdsOfUser } from "../groups/current-members.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { ProjectPlace } from "./assignment.js";
import { positionOf, type PlacedGrant } from "./assignment-expansion.js";
import type { Grant, RoleTarget } from "../grants/grant.js";
import { POSITION, type AssignmentRow } from "../grants/grant-store.js";

interface ProjectRow {
  id: string;
  parent_id: string | null;
  domain_id: string | null;
}

interface Tables {
  readonly assignment: AssignmentRow;
  readonly group_member: { group_id: string; user_id: string };
  readonly federated_group_member: { group_id: string; user_id: string; expires_at: Moment };
  readonly project: ProjectRow;
  readonly role: { id: string; domain_id: string | null };
}

/** Which grants are asked for. What is left out may be anything. */
export interface GrantQuery {
  /** Granted to the user; with `throughGroupsAt`, or to a group that the user is in at that moment. */
  readonly userId?: string | undefined;
  readonly throughGroupsAt?: Moment;
  readonly groupId?: string | undefined;
  readonly roleId?: string | undefined;
  readonly isInherited?: boolean | undefined;
  /** Within any of these places. */
  readonly places?: readonly GrantPlaces[] | undefined;
  /** In a domain, or in a project of it. */
  readonly withinDomainId?: string | undefined;
}

/** Where grants are. */
export interface GrantPlaces {
  readonly kinds: readonly RoleTarget["kind"][];
  readonly targetIds?: ReadonlySet<string>;
  readonly isInherited?: boolean;
}

/** Grants that are read at once. */
export const MAX_GRANTS = 1000;
/** Ids of places that a query names; of more of them the grants are picked here. */
const MAX_NAMED_PLACES = 1000;

/** Where a walk through grants begins: behind a position, or at it. */
export interface GrantStart {
  readonly position: string;
  readonly isIncluded: boolean;
}

/**
 * The grants that are asked for, in their order, {@link MAX_GRANTS} at most at a time. Where there are more than that, all grants
 * are gone through by their order, so that no query takes longer than the others, whatever it looks for.
 */
export async function* walkGrants(
  queries: Queries,
  query: GrantQuery,
  start: GrantStart | undefined,
): AsyncGenerator<readonly PlacedGrant[]> {
  const few = isNarrow(query) ? await fewGrants(queries, query) : undefined;
  if (few !== undefined) yield few.filter(({ position }) => isBehind(position, start));
  else yield* allGrants(queries, query, start);
}

async function* allGrants(
  queries: Queries,
  query: GrantQuery,
  start: GrantStart | undefined,
): AsyncGenerator<readonly PlacedGrant[]> {
  for (let from = start, isFull = true; isFull;) {
    const rows = await grantsFrom(queries, query, from);
    yield rows.flatMap((row) => (row.is_wanted && isPlaced(row, query.places) ? [toPlacedGrant(row)] : []));
    const last = rows.at(-1);
    isFull = rows.length === MAX_GRANTS;
    if (last !== undefined) from = { position: last.position, isIncluded: false };
    // On SQLite nothing else would have its turn until all have been read.
    await nextTurn();
  }
}

/** Whether an index leads to what is asked for, or nearly everything is. */
function isNarrow({ isInherited, userId, groupId, roleId, withinDomainId, places }: GrantQuery): boolean {
  const isPlaceGiven = places?.every(({ targetIds }) => targetIds !== undefined);
  return (
    isInherited === undefined ||
    [userId, groupId, roleId, withinDomainId].some(Boolean) ||
    isPlaceGiven === true
  );
}

/** `undefined` where there are too many. Without an order, which would have the database find all of them first. */
async function fewGrants(queries: Queries, query: GrantQuery): Promise<PlacedGrant[] | undefined> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .selectAll()
    .where((eb) => eb.and(conditions(eb, query)))
    .limit(MAX_GRANTS + 1)
    .execute();
  if (rows.length > MAX_GRANTS) return undefined;
  return rows
    .filter((row) => isPlaced(row, query.places))
    .map((row) => placed(toGrant(row)))
    .toSorted((one, other) => (one.position < other.position ? -1 : 1));
}

/** All grants from a position on, each with whether it is asked for. */
function grantsFrom(queries: Queries, query: GrantQuery, start: GrantStart | undefined) {
  let select = queries
    .tables<Tables>()
    .selectFrom("assignment")
    .selectAll()
    .select(POSITION.as("position"))
    .select((eb) => eb.and([sql<SqlBool>`1 = 1`, ...conditions(eb, query)]).as("is_wanted"))
    .orderBy(POSITION)
    .limit(MAX_GRANTS);
  if (start !== undefined) select = select.where(POSITION, start.isIncluded ? ">=" : ">", start.position);
  return select.execute();
}

function isBehind(position: string, start: GrantStart | undefined): boolean {
  return (
    start === undefined || position > start.position || (start.isIncluded && position === start.position)
  );
}

function toPlacedGrant(row: Selectable<AssignmentRow> & { readonly position: string }): PlacedGrant {
  return { ...toGrant(row), position: row.position };
}

function placed(grant: Grant): PlacedGrant {
  return { ...grant, position: positionOf(grant) };
}

/** What a query can't name. */
function isPlaced(
  { target_kind: kind, target_id: id, is_inherited: isInherited }: Selectable<AssignmentRow>,
  places: GrantQuery["places"],
): boolean {
  if (places === undefined) return true;
  return places.some(
    (place) =>
      place.kinds.includes(kind) &&
      (place.targetIds === undefined || (id !== null && place.targetIds.has(id))) &&
      (place.isInherited === undefined || place.isInherited === isInherited),
  );
}

type Builder = ExpressionBuilder<Tables, "assignment">;

function conditions(eb: Builder, query: GrantQuery): Expression<SqlBool>[] {
  const { userId, groupId, roleId, isInherited, places, withinDomainId } = query;
  return [
    userId === undefined ? undefined : isHeldBy(eb, userId, query.throughGroupsAt),
    groupId === undefined ? undefined : eb("group_id", "=", groupId),
    roleId === undefined ? undefined : eb("role_id", "=", roleId),
    isInherited === undefined ? undefined : eb("is_inherited", "=", isInherited),
    places === undefined ? undefined : isInAny(eb, places),
    withinDomainId === undefined ? undefined : isWithin(eb, withinDomainId),
  ].filter((condition) => condition !== undefined);
}

function isHeldBy(eb: Builder, userId: string, moment: Moment | undefined): Expression<SqlBool> {
  const own = eb("user_id", "=", userId);
  if (moment === undefined) return own;
  return eb.or([own, eb("assignment.group_id", "in", groupIdsOfUser(userId, moment))]);
}

/** PostgreSQL knows no empty list. */
function isInAny(eb: Builder, places: readonly GrantPlaces[]): Expression<SqlBool> {
  return eb.or(places.filter(({ targetIds }) => targetIds?.size !== 0).map((place) => isIn(eb, place)));
}

function isIn(eb: Builder, { kinds, targetIds, isInherited }: GrantPlaces): Expression<SqlBool> {
  return eb.and(
    [
      eb("target_kind", "in", kinds),
      targetIds === undefined || targetIds.size > MAX_NAMED_PLACES
        ? undefined
        : eb("target_id", "in", [...targetIds]),
      isInherited === undefined ? undefined : eb("is_inherited", "=", isInherited),
    ].filter((condition) => condition !== undefined),
  );
}

function isWithin(eb: Builder, domainId: string): Expression<SqlBool> {
  const within = eb
    .selectFrom("project")
    .select("id")
    .where((project) => project.or([project("id", "=", domainId), project("domain_id", "=", domainId)]));
  return eb("target_id", "in", within);
}

/** Ids that are read at once. */
export const MAX_IDS = 1000;

/**
 * The users who are in each of these groups at a moment, by group; `undefined` where they are too many for one query.
 */
export async function membersOf(
  queries: Queries,
  groupIds: readonly string[],
  now: Moment,
): Promise<Map<string, string[]> | undefined> {
  if (groupIds.length === 0) return new Map();
  const rows = await memberRows(queries, groupIds, now)
    .orderBy("user_id")
    .limit(MAX_IDS + 1)
    .execute();
  if (rows.length > MAX_IDS) return undefined;
  const members = new Map(groupIds.map((id) => [id, [] as string[]]));
  for (const row of rows) members.get(row.group_id)?.push(row.user_id);
  return members;
}

/** The first of the members of a group at a moment, from an id on. */
export async function memberIds(
  queries: Queries,
  { groupId, now, from }: { readonly groupId: string; readonly now: Moment; readonly from: string },
): Promise<string[]> {
  const rows = await memberRows(queries, [groupId], now, from).orderBy("user_id").limit(MAX_IDS).execute();
  return rows.map(({ user_id }) => user_id);
}

function memberRows(queries: Queries, groupIds: readonly string[], now: Moment, from = "") {
  const tables = queries.tables<Tables>();
  const lasting = tables
    .selectFrom("group_member")
    .select(["group_id", "user_id"])
    .where("group_id", "in", groupIds)
    .where("user_id", ">=", from);
  const passing = tables
    .selectFrom("federated_group_member")
    .select(["group_id", "user_id"])
    .where("group_id", "in", groupIds)
    .where("user_id", ">=", from)
    .where("expires_at", ">", now);
  return lasting.union(passing);
}

/** The first of the projects of a domain, from an id on. */
export async function projectIdsOf(
  queries: Queries,
  { domainId, from }: { readonly domainId: string; readonly from: string },
): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select("id")
    .where("domain_id", "=", domainId)
    .where("id", ">=", from)
    .orderBy("id")
    .limit(MAX_IDS)
    .execute();
  return rows.map(({ id }) => id);
}

/** The project and all above it, from itself upwards: the last is its domain. */
export async function placesAbove(queries: Queries, projectId: string): Promise<ProjectPlace[]> {
  const rows = await queries
    .tables<Tables & { place: ProjectRow }>()
    .withRecursive("place", (db) =>
      db
        .selectFrom("project")
        .select(["id", "parent_id", "domain_id"])
        .where("id", "=", projectId)
        .union(
          db
            .selectFrom("project")
            .innerJoin("place", "place.parent_id", "project.id")
            .select(["project.id", "project.parent_id", "project.domain_id"]),
        ),
    )
    .selectFrom("place")
    .selectAll()
    .execute();
  return rows.map(toPlace);
}

/** All below a project, level by level, with a bound for each query. */
export async function placesBelow(queries: Queries, projectId: string): Promise<ProjectPlace[]> {
  const found = new Map<string, ProjectPlace>();
  for (let level = [projectId]; level.length > 0;) {
    const next: string[] = [];
    for (let start = 0; start < level.length; start += MAX_IDS) {
      const parents = level.slice(start, start + MAX_IDS);
      for (let from = ""; ;) {
        const children = await childrenOf(queries, parents, from);
        for (const place of children)
          if (!found.has(place.id)) {
            found.set(place.id, place);
            next.push(place.id);
          }
        from = children.at(-1)?.id ?? "";
        if (children.length < MAX_IDS) break;
      }
      await nextTurn();
    }
    level = next;
  }
  return [...found.values()];
}

async function childrenOf(
  queries: Queries,
  parentIds: readonly string[],
  from: string,
): Promise<ProjectPlace[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select(["id", "parent_id", "domain_id"])
    .where("parent_id", "in", parentIds)
    .where("id", ">", from)
    .orderBy("id")
    .limit(MAX_IDS)
    .execute();
  return rows.map(toPlace);
}

/** The roles that belong to a domain. */
export async function domainRoleIds(queries: Queries): Promise<Set<string>> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("role")
    .select("id")
    .where("domain_id", "is not", null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function toPlace({ id, parent_id, domain_id }: ProjectRow): ProjectPlace {
  return { id, parentId: parent_id, domainId: domain_id };
}

function toGrant(row: Selectable<AssignmentRow>): Grant {
  const { user_id: userId, group_id: groupId, target_kind: kind, target_id: targetId } = row;
  return {
    actor: userId === null ? { groupId: groupId ?? "" } : { userId },
    target: toTarget(kind, targetId ?? ""),
    roleId: row.role_id,
    isInherited: row.is_inherited,
  };
}

function toTarget(kind: RoleTarget["kind"], id: string): RoleTarget {
  if (kind === "system") return { kind };
  return kind === "project" ? { kind, projectId: id } : { kind, domainId: id };
}
