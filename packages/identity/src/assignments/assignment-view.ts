/** An assignment as it is answered. */
import type { Links } from "../platform/http/links.js";
import type { Assignment } from "./assignment.js";
import type { AssignmentNames, Named } from "./assignment-names.js";
import type { AssignmentView } from "./assignment-schema.js";
import type { Grant } from "../grants/grant.js";

/** @param names Left out where nobody wants them. */
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
      ? { user: thing(actor.userId, names?.users, names) }
      : { group: thing(actor.groupId, names?.groups, names) }),
    role: thing(roleId, names?.roles, names),
  };
}

function scopeOf({ target }: Assignment, names: AssignmentNames | undefined): AssignmentView["scope"] {
  if (target.kind === "system") return { system: { all: true } };
  if (target.kind === "domain") return { domain: domain(target.domainId, names) };
  const project = thing(target.projectId, names?.projects, names);
  // A domain as a project is in itself, as in a token.
  return { project: names === undefined ? project : { domain: domain(project.id, names), ...project } };
}

function thing(
  id: string,
  named: ReadonlyMap<string, Named> | undefined,
  names: AssignmentNames | undefined,
) {
  if (named === undefined) return { id };
  const { name, domainId } = named.get(id) ?? GONE;
  return domainId === null ? { id, name } : { id, name, domain: domain(domainId, names) };
}

function domain(id: string, names: AssignmentNames | undefined) {
  return names === undefined ? { id } : { id, name: (names.projects.get(id) ?? GONE).name };
}

/** It was deleted after its assignments were listed. */
const GONE: Named = { name: "", domainId: null };

/** The grant, as a link, and what else the assignment rests on. */
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
