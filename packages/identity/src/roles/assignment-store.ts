/** The questions about many grants at once, and what is around them. */
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from "kysely";

import { groupIdsOfUser } from "../groups/current-members.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import type { ProjectPlace } from "./assignment.js";
import type { Grant, RoleTarget } from "./grant.js";
import type { AssignmentRow } from "./grant-store.js";

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
  readonly targetIds?: readonly string[];
  readonly isInherited?: boolean;
}

/** Ordered, so that the same question has the same answer. */
export async function listGrants(queries: Queries, query: GrantQuery): Promise<Grant[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("assignment")
    .selectAll()
    .where((eb) => eb.and(conditions(eb, query)))
    .orderBy("target_kind")
    .orderBy("target_id")
    .orderBy("user_id")
    .orderBy("group_id")
    .orderBy("role_id")
    .orderBy("is_inherited")
    .execute();
  return rows.map(toGrant);
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
  return eb.or(places.filter(({ targetIds }) => targetIds?.length !== 0).map((place) => isIn(eb, place)));
}

function isIn(eb: Builder, { kinds, targetIds, isInherited }: GrantPlaces): Expression<SqlBool> {
  return eb.and(
    [
      eb("target_kind", "in", kinds),
      targetIds === undefined ? undefined : eb("target_id", "in", targetIds),
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

/** The users who are in each of these groups at a moment, or that one of them. */
export async function membersOf(
  queries: Queries,
  groupIds: readonly string[],
  { userId, now }: { readonly userId?: string | undefined; readonly now: Moment },
): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>();
  if (groupIds.length === 0) return members;
  const tables = queries.tables<Tables>();
  let lasting = tables
    .selectFrom("group_member")
    .select(["group_id", "user_id"])
    .where("group_id", "in", groupIds);
  let passing = tables
    .selectFrom("federated_group_member")
    .select(["group_id", "user_id"])
    .where("group_id", "in", groupIds)
    .where("expires_at", ">", now);
  if (userId !== undefined) {
    lasting = lasting.where("user_id", "=", userId);
    passing = passing.where("user_id", "=", userId);
  }
  for (const row of await lasting.union(passing).orderBy("user_id").execute())
    members.set(row.group_id, [...(members.get(row.group_id) ?? []), row.user_id]);
  return members;
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

/** All below a project. */
export async function placesBelow(queries: Queries, projectId: string): Promise<ProjectPlace[]> {
  const rows = await queries
    .tables<Tables & { place: ProjectRow }>()
    .withRecursive("place", (db) =>
      db
        .selectFrom("project")
        .select(["id", "parent_id", "domain_id"])
        .where("parent_id", "=", projectId)
        .union(
          db
            .selectFrom("project")
            .innerJoin("place", "place.id", "project.parent_id")
            .select(["project.id", "project.parent_id", "project.domain_id"]),
        ),
    )
    .selectFrom("place")
    .selectAll()
    .orderBy("id")
    .execute();
  return rows.map(toPlace);
}

/** All projects of the domains that these projects, or domains themselves, are of. */
export async function placesBeside(queries: Queries, ids: readonly string[]): Promise<ProjectPlace[]> {
  if (ids.length === 0) return [];
  const rows = await queries
    .tables<Tables>()
    .selectFrom("project")
    .select(["id", "parent_id", "domain_id"])
    .where("domain_id", "in", (eb) =>
      eb
        .selectFrom("project as source")
        .select((source) => source.fn.coalesce("source.domain_id", "source.id").as("domain_id"))
        .where("source.id", "in", ids),
    )
    .orderBy("id")
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
