/** Role assignments in responses. */
import type { Links } from "../platform/http/links.js";
import type { Assignment } from "./assignment.js";
import type { Named } from "../platform/database/named-places.js";
import type { AssignmentNames } from "./assignment-names.js";
import type { AssignmentView } from "./assignment-schema.js";
import type { Grant } from "../grants/grant.js";

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
