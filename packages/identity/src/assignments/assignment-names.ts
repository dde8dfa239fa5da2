/** The names of the resources in role assignments. */
import { actorIdOf, targetIdOf } from "../grants/grant.js";
import { groupNames } from "../groups/group-store.js";
import type { Queries } from "../platform/database/database.js";
import type { Named } from "../platform/database/named-places.js";
import { projectNames } from "../projects/project-store.js";
import { roleNames } from "../roles/role-store.js";
import { userNames } from "../users/user-store.js";
import type { Assignment } from "./assignment.js";

type Names = ReadonlyMap<string, Named>;

/** Names by id. */
export interface AssignmentNames {
  readonly users: Names;
  readonly groups: Names;
  readonly roles: Names;
  /** Projects and domains; also the domains of users, groups and roles. */
  readonly projects: Names;
}

export async function namesOf(
  queries: Queries,
  assignments: readonly Assignment[],
): Promise<AssignmentNames> {
  const idsOf = (select: (assignment: Assignment) => string | null) =>
    new Set(assignments.map(select).filter((id) => id !== null));
  const userIds = idsOf(({ actor }) => ("userId" in actor ? actor.userId : null));
  const groupIds = idsOf(({ actor }) => ("groupId" in actor ? actorIdOf(actor) : null));
  const users = await userNames(queries, userIds);
  const groups = await groupNames(queries, groupIds);
  const roles = await roleNames(queries, new Set(assignments.map(({ roleId }) => roleId)));
  const projects = await projectNames(
    queries,
    idsOf(({ target }) => targetIdOf(target)),
  );
  const domains = await projectNames(queries, domainIdsOf(users, groups, roles, projects));
  return { users, groups, roles, projects: new Map([...projects, ...domains]) };
}

function domainIdsOf(...maps: readonly Names[]): Set<string> {
  const ids = maps.flatMap((names) => Array.from(names.values(), ({ domainId }) => domainId));
  return new Set(ids.filter((id) => id !== null));
}
