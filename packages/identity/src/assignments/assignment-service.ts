/** Who has which role where: as it was granted, or what that comes to. */
import type { Clock } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { InvalidError } from "../platform/errors.js";
import type { Assignment, ProjectPlace } from "./assignment.js";
import {
  effectivePosition,
  expandGrants,
  positionOf,
  type AssignmentPosition,
  type PlacedGrant,
} from "./assignment-expansion.js";
import { namesOf, type AssignmentNames } from "./assignment-names.js";
import {
  placesAbove,
  placesBelow,
  walkGrants,
  type GrantPlaces,
  type GrantQuery,
} from "./assignment-store.js";
import { readSurroundings, type SurroundingsQuery } from "./assignment-surroundings.js";
import { targetIdOf, type RoleTarget } from "../grants/grant.js";
import type { Projects, Users } from "../roles/neighbors.js";

/** Which assignments are asked for. What is left out may be anything. */
export interface AssignmentQuery extends Pick<
  GrantQuery,
  "userId" | "groupId" | "roleId" | "isInherited" | "withinDomainId"
> {
  readonly target?: RoleTarget | undefined;
  /** Also in all projects below the one that is asked for. */
  readonly withSubtree?: boolean;
  /** Only what comes behind the assignment that this marker names. */
  readonly marker?: string | undefined;
}

/** The marker is none that a list of assignments has given. */
export class AssignmentMarkerError extends InvalidError {
  override readonly name = "AssignmentMarkerError";
  override readonly code = "roles/assignment-marker";

  constructor() {
    super(
      "Invalid input for field/attribute marker. It is not one of a link to the next page of role assignments.",
    );
  }
}

export interface AssignmentServiceDeps {
  readonly database: Database;
  readonly users: Users;
  readonly projects: Projects;
  readonly clock: Clock;
}

export type AssignmentService = ReturnType<typeof createAssignmentService>;

export function createAssignmentService({ database, users, projects, clock }: AssignmentServiceDeps) {
  async function subtreeOf(projectId: string): Promise<ProjectPlace[]> {
    await projects.getProject(projectId);
    return placesBelow(database, projectId);
  }

  return {
    /** As they were granted, in slices. */
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
      for await (const grants of walkGrants(database, { ...query, places }, start))
        yield grants.map(asGranted);
    },

    /**
     * What grants come to, in slices: no groups, but their users; nothing inherited by projects, but the projects themselves; and
     * what is implied. As in Keystone the system is left out where it is not asked for.
     */
    async *listEffective(query: AssignmentQuery): AsyncGenerator<readonly Assignment[]> {
      const { userId, roleId, isInherited, target, withSubtree = false, withinDomainId } = query;
      const from = readMarker(query.marker);
      if (userId !== undefined) await users.getUser(userId);
      if (target?.kind === "project") await projects.getProject(target.projectId);
      const search: Search =
        target?.kind === "project"
          ? await searchProject(database, target.projectId, withSubtree)
          : { places: effectivePlaces(target) };
      const now = clock.now();
      const surroundings = await readSurroundings(database, { now, userId, roleId, only: search.only });
      const grants = walkGrants(
        database,
        { userId, throughGroupsAt: now, isInherited, withinDomainId, places: search.places },
        from && { position: from.grant, isIncluded: true },
      );
      yield* expandGrants(grants, surroundings, from);
    },

    /** What names an assignment in a link to the next page. */
    markerOf(assignment: Assignment, { isEffective }: { readonly isEffective: boolean }): string {
      const position = isEffective ? effectivePosition(assignment) : { grant: positionOf(assignment.grant) };
      return Buffer.from(JSON.stringify(position)).toString("base64url");
    },

    namesOf: (assignments: readonly Assignment[]): Promise<AssignmentNames> => namesOf(database, assignments),
  };
}

function placesAt(target: RoleTarget, below: readonly ProjectPlace[]): GrantPlaces {
  const id = targetIdOf(target);
  return id === null
    ? { kinds: [target.kind] }
    : { kinds: [target.kind], targetIds: new Set([id, ...below.map((project) => project.id)]) };
}

/** Where to look for the grants that come to roles in a place that is no project. */
function effectivePlaces(target: Exclude<RoleTarget, { kind: "project" }> | undefined): GrantPlaces[] {
  if (target === undefined) return [{ kinds: ["project", "domain"] }];
  return [{ ...placesAt(target, []), isInherited: false }];
}

interface Search {
  readonly places: readonly GrantPlaces[];
  readonly only?: SurroundingsQuery["only"];
}

/** Where to look for the grants that come to roles in a project, or below. */
async function searchProject(queries: Queries, id: string, withSubtree: boolean): Promise<Search> {
  const above = await placesAbove(queries, id);
  const below = withSubtree ? await placesBelow(queries, id) : [];
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

/** @throws {AssignmentMarkerError} */
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
    // Not JSON: no marker of ours.
  }
  throw new AssignmentMarkerError();
}
