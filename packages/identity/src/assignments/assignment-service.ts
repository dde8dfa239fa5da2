/** Lists of role assignments: granted or effective ones. */
import type { Platform } from "../area.js";
import { walkGrants, type GrantPlaces, type GrantQuery } from "../grants/grant-walk.js";
import {
  positionOf,
  targetIdOf,
  type PlacedGrant,
  type RoleTarget,
  type ProjectLookup,
  type UserLookup,
} from "../grants/grant.js";
import type { Queries } from "../platform/database/database.js";
import { MarkerNotFoundError } from "../platform/http/lists/paging.js";
import { nodesAbove, nodesBelow, type ProjectNode } from "../projects/project-tree-queries.js";
import { effectivePosition, expandGrants, type AssignmentPosition } from "./assignment-expansion.js";
import { namesOf, type AssignmentNames } from "./assignment-view.js";
import type { Assignment } from "./assignment.js";
import { readGrantContext, type GrantContextQuery } from "./grant-context.js";

/** Conditions on assignments; those that are left out do not apply. */
export interface AssignmentQuery extends Pick<
  GrantQuery,
  "userId" | "groupId" | "roleId" | "isInherited" | "withinDomainId"
> {
  readonly target?: RoleTarget | undefined;
  /** Also on all projects below the requested one. */
  readonly withSubtree?: boolean;
  /** The marker of the last assignment of the page before. */
  readonly marker?: string | undefined;
}

export interface AssignmentServiceDeps extends Pick<Platform, "database" | "clock"> {
  readonly users: UserLookup;
  readonly projects: ProjectLookup;
  /** Brings the members of groups of directories that have roles on these targets, or anywhere, up to date; none, if left out. */
  readonly refreshGrantedGroups?: ((targetIds?: readonly string[]) => Promise<void>) | undefined;
}

export type AssignmentService = ReturnType<typeof createAssignmentService>;

/** Targets that are named in a query. */
const MAX_TARGETS = 400;

export function createAssignmentService({
  database,
  users,
  projects,
  clock,
  refreshGrantedGroups,
}: AssignmentServiceDeps) {
  async function subtreeOf(projectId: string): Promise<ProjectNode[]> {
    await projects.getProject(projectId);
    return nodesBelow(database, projectId);
  }

  return {
    /** As granted, in slices. */
    async *listGranted({
      target,
      withSubtree,
      marker,
      ...query
    }: AssignmentQuery): AsyncGenerator<readonly Assignment[]> {
      const from = readMarker(marker);
      const below = target?.kind === "project" && withSubtree ? await subtreeOf(target.projectId) : [];
      const places = target && [placesAt(target, below)];
      const start = from && { position: from.grant, isIncluded: false };
      for await (const grants of walkGrants(database.forLists, { ...query, places }, start))
        yield grants.map(asGranted);
    },

    /**
     * Effective assignments, in slices: users instead of their groups, inheriting projects instead of the inherited grant, and implied
     * roles. As in Keystone, assignments on the system are only listed on request.
     */
    async *listEffective(query: AssignmentQuery): AsyncGenerator<readonly Assignment[]> {
      const { userId, roleId, isInherited, target, withSubtree = false, withinDomainId } = query;
      const from = readMarker(query.marker);
      if (userId !== undefined) await users.getUser(userId, { withGroups: true });
      if (target?.kind === "project") await projects.getProject(target.projectId);
      const search: Search =
        target?.kind === "project"
          ? await searchProject(database, target.projectId, withSubtree)
          : { places: effectivePlaces(target) };
      // Other directories, one of which may be down, are not asked.
      if (userId === undefined) await refreshGrantedGroups?.(targetIdsOf(search.places));
      const now = clock.now();
      const context = await readGrantContext(database.forLists, { now, userId, roleId, only: search.only });
      const grants = walkGrants(
        database.forLists,
        { userId, throughGroupsAt: now, isInherited, withinDomainId, places: search.places },
        from && { position: from.grant, isIncluded: true },
      );
      yield* expandGrants(grants, context, from);
    },

    /** The marker of an assignment in the link to the next page. */
    markerOf(assignment: Assignment, { isEffective }: { readonly isEffective: boolean }): string {
      const position = isEffective ? effectivePosition(assignment) : { grant: positionOf(assignment.grant) };
      return Buffer.from(JSON.stringify(position)).toString("base64url");
    },

    namesOf: (assignments: readonly Assignment[]): Promise<AssignmentNames> => namesOf(database, assignments),
  };
}

function placesAt(target: RoleTarget, below: readonly ProjectNode[]): GrantPlaces {
  const id = targetIdOf(target);
  return id === null
    ? { kinds: [target.kind] }
    : { kinds: [target.kind], targetIds: new Set([id, ...below.map((project) => project.id)]) };
}

/** The places of grants with effect on a domain, the system or anywhere. */
function effectivePlaces(target: Exclude<RoleTarget, { kind: "project" }> | undefined): GrantPlaces[] {
  if (target === undefined) return [{ kinds: ["project", "domain"] }];
  return [{ ...placesAt(target, []), isInherited: false }];
}

/** Of few targets; `undefined` for all. */
function targetIdsOf(places: readonly GrantPlaces[]): readonly string[] | undefined {
  const ids = new Set<string>();
  for (const { targetIds } of places) {
    if (targetIds === undefined) return undefined;
    for (const id of targetIds) ids.add(id);
  }
  return ids.size > MAX_TARGETS ? undefined : [...ids];
}

interface Search {
  readonly places: readonly GrantPlaces[];
  readonly only?: GrantContextQuery["only"];
}

/** The places of grants with effect on a project or its descendants. */
async function searchProject(queries: Queries, id: string, withSubtree: boolean): Promise<Search> {
  const above = await nodesAbove(queries, id);
  const below = withSubtree ? await nodesBelow(queries, id) : [];
  const known = [...above, ...below];
  const wanted = new Set([id, ...below.map((project) => project.id)]);
  const domainIds = known.flatMap(({ domainId }) => (domainId === null ? [] : [domainId]));
  return {
    only: { known, wanted },
    places: [
      { kinds: ["project"], targetIds: wanted, isInherited: false },
      { kinds: ["project"], targetIds: new Set(known.map((project) => project.id)), isInherited: true },
      { kinds: ["domain"], targetIds: new Set(domainIds), isInherited: true },
    ],
  };
}

function asGranted({ actor, target, roleId, isInherited }: PlacedGrant): Assignment {
  return { actor, target, roleId, grant: { actor, target, roleId, isInherited } };
}

function isText(member: unknown): boolean {
  return typeof member === "string" && !member.includes("\0");
}

/**
 * A position, from which a list goes on also where what it names was deleted.
 *
 * @throws {MarkerNotFoundError} It is not from a list of assignments.
 */
function readMarker(marker: string | undefined): AssignmentPosition | undefined {
  if (marker === undefined) return undefined;
  try {
    const position = JSON.parse(Buffer.from(marker, "base64url").toString()) as AssignmentPosition;
    const members = [
      position.grant,
      position.userId,
      position.targetId,
      position.roleId,
      position.priorRoleId,
    ];
    if (isText(position.grant) && members.every((member) => member === undefined || isText(member)))
      return position;
  } catch {
    // Not JSON.
  }
  throw new MarkerNotFoundError(marker);
}
