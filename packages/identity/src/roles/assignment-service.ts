/** Who has which role where: as it was granted, or what that comes to. */
import type { Clock, Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import {
  effectiveAssignments,
  type Assignment,
  type GrantSurroundings,
  type ProjectPlace,
} from "./assignment.js";
import { namesOf, type AssignmentNames } from "./assignment-names.js";
import {
  domainRoleIds,
  listGrants,
  membersOf,
  placesAbove,
  placesBelow,
  placesBeside,
  type GrantPlaces,
  type GrantQuery,
} from "./assignment-store.js";
import { targetIdOf, type Grant, type RoleTarget } from "./grant.js";
import { listInferences } from "./implied-role-store.js";
import type { Projects, Users } from "./neighbors.js";

/** Which assignments are asked for. What is left out may be anything. */
export interface AssignmentQuery extends Pick<
  GrantQuery,
  "userId" | "groupId" | "roleId" | "isInherited" | "withinDomainId"
> {
  readonly target?: RoleTarget | undefined;
  /** Also in all projects below the one that is asked for. */
  readonly withSubtree?: boolean;
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
    /** As they were granted. */
    async listGranted({ target, withSubtree, ...query }: AssignmentQuery): Promise<Assignment[]> {
      const below = target?.kind === "project" && withSubtree ? await subtreeOf(target.projectId) : [];
      const places = target && [placesAt(target, below)];
      const grants = await listGrants(database, { ...query, places });
      return grants.map((grant) => Object.assign({ grant }, grant));
    },

    /**
     * What grants come to: no groups, but their users; nothing inherited by projects, but the projects themselves; and what is
     * implied. As in Keystone the system is left out where it is not asked for.
     */
    async listEffective(query: AssignmentQuery): Promise<Assignment[]> {
      const { userId, roleId, isInherited, target, withSubtree = false, withinDomainId } = query;
      if (userId !== undefined) await users.getUser(userId);
      if (target?.kind === "project") await projects.getProject(target.projectId);
      const search: Search =
        target?.kind === "project"
          ? await searchProject(database, target.projectId, withSubtree)
          : { places: effectivePlaces(target) };
      const now = clock.now();
      const grants = await listGrants(database, {
        userId,
        throughGroupsAt: now,
        isInherited,
        withinDomainId,
        places: search.places,
      });
      const surroundings = await surroundingsOf(database, grants, { userId, now, known: search.known });
      return effectiveAssignments(grants, surroundings).filter(
        (assignment) =>
          (roleId === undefined || assignment.roleId === roleId) &&
          (search.wanted === undefined || search.wanted.has(targetIdOf(assignment.target) ?? "")),
      );
    },

    namesOf: (assignments: readonly Assignment[]): Promise<AssignmentNames> => namesOf(database, assignments),
  };
}

function placesAt(target: RoleTarget, below: readonly ProjectPlace[]): GrantPlaces {
  const id = targetIdOf(target);
  return id === null
    ? { kinds: [target.kind] }
    : { kinds: [target.kind], targetIds: [id, ...below.map((project) => project.id)] };
}

/** Where to look for the grants that come to roles in a place that is no project. */
function effectivePlaces(target: Exclude<RoleTarget, { kind: "project" }> | undefined): GrantPlaces[] {
  if (target === undefined) return [{ kinds: ["project", "domain"] }];
  return [{ ...placesAt(target, []), isInherited: false }];
}

interface Search {
  readonly places: readonly GrantPlaces[];
  /** The projects to which all belongs that is found; anything if left out. */
  readonly wanted?: ReadonlySet<string>;
  /** These, and what is above them. */
  readonly known?: readonly ProjectPlace[];
}

/** Where to look for the grants that come to roles in a project, or below. */
async function searchProject(queries: Queries, id: string, withSubtree: boolean): Promise<Search> {
  const above = await placesAbove(queries, id);
  const below = withSubtree ? await placesBelow(queries, id) : [];
  const known = [...above, ...below];
  const wanted = new Set([id, ...below.map((project) => project.id)]);
  const domainIds = known.flatMap(({ domainId }) => (domainId === null ? [] : [domainId]));
  return {
    known,
    wanted,
    places: [
      { kinds: ["project"], targetIds: [...wanted], isInherited: false },
      { kinds: ["project"], targetIds: known.map((project) => project.id), isInherited: true },
      { kinds: ["domain"], targetIds: [...new Set(domainIds)], isInherited: true },
    ],
  };
}

async function surroundingsOf(
  queries: Queries,
  grants: readonly Grant[],
  {
    userId,
    now,
    known,
  }: { readonly userId: string | undefined; readonly now: Moment; readonly known: Search["known"] },
): Promise<GrantSurroundings> {
  const groupIds = grants.flatMap(({ actor }) => ("groupId" in actor ? [actor.groupId] : []));
  const sources = grants.flatMap(({ isInherited, target }) =>
    isInherited ? [targetIdOf(target) ?? ""] : [],
  );
  return {
    members: await membersOf(queries, [...new Set(groupIds)], { userId, now }),
    projects: known ?? (await placesBeside(queries, [...new Set(sources)])),
    inferences: await listInferences(queries),
    domainRoleIds: await domainRoleIds(queries),
  };
}
