/** Role assignments in responses: schemas, and views with the names of their resources. */
import { Type, type Static } from "typebox";

import { actorIdOf, targetIdOf, type Grant } from "../grants/grant.js";
import { groupNames } from "../groups/group.js";
import type { Queries } from "../platform/database/database.js";
import type { Named } from "../platform/database/domain-scoped-names.js";
import type { Links } from "../platform/http/links.js";
import { Id, nullable } from "../platform/http/validation/schema-parts.js";
import { projectNames } from "../projects/project-store.js";
import { roleNames } from "../roles/role.js";
import { userNames } from "../users/user-store.js";
import type { Assignment } from "./assignment.js";

/** @param names `undefined` for a response without names. */
export function assignmentView(
  assignment: Assignment,
  { links, names }: { readonly links: Links; readonly names: AssignmentNames | undefined },
): AssignmentView {
  const { actor, grant, roleId } = assignment;
  return {
    links: linksOf(assignment, links),
    scope: {
      ...scopeOf(assignment, names),
      ...(grant.isInherited ? { "OS-INHERIT:inherited_to": "projects" as const } : {}),
    },
    ...("userId" in actor
      ? { user: resourceView(actor.userId, names?.users, names) }
      : { group: resourceView(actor.groupId, names?.groups, names) }),
    role: resourceView(roleId, names?.roles, names),
  };
}

function scopeOf({ target }: Assignment, names: AssignmentNames | undefined): AssignmentView["scope"] {
  if (target.kind === "system") return { system: { all: true } };
  if (target.kind === "domain") return { domain: domainView(target.domainId, names) };
  const project = resourceView(target.projectId, names?.projects, names);
  // A domain as a project belongs to itself, as in a token.
  return { project: names === undefined ? project : { domain: domainView(project.id, names), ...project } };
}

function resourceView(
  id: string,
  named: ReadonlyMap<string, Named> | undefined,
  names: AssignmentNames | undefined,
) {
  if (named === undefined) return { id };
  const { name, domainId } = named.get(id) ?? DELETED;
  return domainId === null ? { id, name } : { id, name, domain: domainView(domainId, names) };
}

function domainView(id: string, names: AssignmentNames | undefined) {
  return names === undefined ? { id } : { id, name: (names.projects.get(id) ?? DELETED).name };
}

/** As in Keystone: the resource was deleted, or belongs to a directory that is not offered. */
const DELETED: Named = { name: "", domainId: "" };

/** Links to the grant, the membership and the implied role. */
function linksOf({ actor, grant, roleId, priorRoleId }: Assignment, links: Links): AssignmentView["links"] {
  return {
    assignment: grantLink(grant, links),
    ...("userId" in actor && "groupId" in grant.actor
      ? { membership: links.self("/v3/groups", grant.actor.groupId, "users", actor.userId) }
      : {}),
    ...(priorRoleId === undefined
      ? {}
      : { prior_role: links.self("/v3/roles", priorRoleId, "implies", roleId) }),
  };
}

function grantLink({ actor, target, roleId, isInherited }: Grant, links: Links): string {
  const place =
    target.kind === "system"
      ? ["system"]
      : target.kind === "project"
        ? ["projects", target.projectId]
        : ["domains", target.domainId];
  const holder = "userId" in actor ? ["users", actor.userId] : ["groups", actor.groupId];
  const parts = [...place, ...holder, "roles", roleId];
  return isInherited
    ? links.self("/v3/OS-INHERIT", ...parts, "inherited_to_projects")
    : links.self("/v3", ...parts);
}

type Names = ReadonlyMap<string, Named>;

/** Names by id. */
export interface AssignmentNames {
  readonly users: Names;
  readonly groups: Names;
  readonly roles: Names;
  /** Projects and domains; also the domains of users, groups and roles. */
  readonly projects: Names;
}

/** The names of the resources in role assignments. */
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

const Flag = Type.Optional(
  Type.String({ description: "Given is enough, with any value but `0`, or with none." }),
);

export const AssignmentListQuery = Type.Object({
  "user.id": Type.Optional(Type.String()),
  "group.id": Type.Optional(Type.String()),
  "role.id": Type.Optional(Type.String()),
  "scope.project.id": Type.Optional(Id),
  "scope.domain.id": Type.Optional(Id),
  "scope.system": Type.Optional(Type.String({ description: "`all`; anything else is as good as none." })),
  "scope.OS-INHERIT:inherited_to": Type.Optional(
    Type.String({ description: "`projects` for what is inherited, anything else for what is not." }),
  ),
  effective: Flag,
  include_names: Flag,
  include_subtree: Flag,
  limit: Type.Optional(Type.String()),
  marker: Type.Optional(Type.String({ description: "From the link to the next page." })),
});
export type AssignmentListQuery = Static<typeof AssignmentListQuery>;

const NamedDomain = Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) });
const NamedResource = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(NamedDomain),
});

const AssignmentView = Type.Object({
  role: NamedResource,
  user: Type.Optional(NamedResource),
  group: Type.Optional(NamedResource),
  scope: Type.Object({
    project: Type.Optional(NamedResource),
    domain: Type.Optional(NamedDomain),
    system: Type.Optional(Type.Object({ all: Type.Literal(true) })),
    "OS-INHERIT:inherited_to": Type.Optional(Type.Literal("projects")),
  }),
  links: Type.Object({
    assignment: Type.String(),
    membership: Type.Optional(Type.String()),
    prior_role: Type.Optional(Type.String()),
  }),
});
type AssignmentView = Static<typeof AssignmentView>;

export const AssignmentList = Type.Object({
  role_assignments: Type.Array(AssignmentView),
  links: Type.Object({ next: nullable(Type.String()), self: Type.String(), previous: Type.Null() }),
  truncated: Type.Optional(Type.Boolean()),
});
