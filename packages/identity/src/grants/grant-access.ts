/** Access to routes of grants: the policy target is the role, the actor and the target of the grant. */
import type { FastifyRequest } from "fastify";

import type { PolicyTarget } from "../policy/credentials.js";
import type { TargetedAccess } from "../policy/guard.js";
import type { Action } from "../policy/is-allowed.js";
import type { RoleActor, RoleTarget } from "./grant.js";
import type { GrantPath } from "./grant-paths.js";
import { ifFound } from "../platform/found.js";
import type { GroupLookup, ProjectLookup, UserLookup } from "./lookups.js";
import type { RoleService } from "../roles/role-service.js";

export interface GrantAccessDeps {
  readonly roles: Pick<RoleService, "getRole">;
  readonly users: UserLookup;
  readonly groups: GroupLookup;
  readonly projects: ProjectLookup;
}

type Verb = "list" | "check" | "create" | "revoke";

/** The access of a route of grants. */
export function grantAccess(path: GrantPath, verb: Verb, deps: GrantAccessDeps): TargetedAccess {
  return {
    action: actionOf(path, verb),
    async target({ params }: FastifyRequest): Promise<PolicyTarget> {
      const names = params as Readonly<Record<string, string>>;
      const { actor, target } = path.placeOf(names);
      return {
        ...(names["role_id"] === undefined ? {} : await roleTarget(names["role_id"], deps)),
        ...(await actorTarget(actor, deps)),
        ...(await placeTarget(target, deps)),
      };
    },
  };
}

function actionOf({ target, actor }: GrantPath, verb: Verb): Action {
  const noun = verb === "list" ? "grants" : "grant";
  if (target === "system") return `identity:${verb}_system_${noun}_for_${actor}` as Action;
  return `identity:${verb}_${noun}` as Action;
}

async function roleTarget(id: string, { roles }: GrantAccessDeps): Promise<PolicyTarget> {
  const role = await ifFound(roles.getRole(id));
  return role === undefined ? {} : { role };
}

async function actorTarget(actor: RoleActor, { users, groups }: GrantAccessDeps): Promise<PolicyTarget> {
  if ("userId" in actor) {
    const user = await ifFound(users.getUser(actor.userId));
    return user === undefined ? {} : { user };
  }
  const group = await ifFound(groups.getGroup(actor.groupId));
  return group === undefined ? {} : { group };
}

async function placeTarget(target: RoleTarget, { projects }: GrantAccessDeps): Promise<PolicyTarget> {
  if (target.kind === "system") return {};
  if (target.kind === "domain") {
    const domain = await ifFound(projects.getDomain(target.domainId));
    return domain === undefined ? {} : { domain };
  }
  const project = await ifFound(projects.getProject(target.projectId));
  // A domain as a project belongs to no domain: no domain-scoped token may grant there.
  return typeof project?.domainId === "string"
    ? { project: { id: project.id, domainId: project.domainId } }
    : {};
}
