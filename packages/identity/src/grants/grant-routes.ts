/** Grants: below `/v3/projects`, `/v3/domains` and `/v3/system`; inherited ones below `/v3/OS-INHERIT`. */
import type { FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import { coreRelation, extensionRelation } from "../platform/discovery/json-home.js";
import { ifFound } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { listResponse, partOf, readPage } from "../platform/http/lists/paging.js";
import { createRoutes } from "../platform/http/route.js";
import { listOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/caller.js";
import type { TargetedAccess } from "../policy/guard.js";
import type { Action } from "../policy/is-allowed.js";
import { roleView } from "../roles/role-routes.js";
import type { RoleService } from "../roles/role-service.js";
import { RoleView } from "../roles/role.js";
import type { GrantService } from "./grant-service.js";
import type { RoleActor, RoleTarget, GroupLookup, ProjectLookup, UserLookup, GrantPlace } from "./grant.js";

export interface GrantRoutesDeps extends GrantAccessDeps, Pick<Platform, "links"> {
  readonly grants: GrantService;
}

export function addGrantRoutes(server: HttpServer, deps: GrantRoutesDeps): void {
  for (const path of grantPaths()) addRoutesOf(server, deps, path);
}

function addRoutesOf(server: HttpServer, deps: GrantRoutesDeps, path: GrantPath): void {
  const { grants, links } = deps;
  const route = createRoutes(server, "grants");
  const grantOf = (params: Parameters) => ({ ...path.placeOf(params), roleId: params["role_id"] ?? "" });

  if (path.hasList)
    route("GET", path.list, {
      access: grantAccess(path, "list", deps),
      home: [{ relation: relation(path, "roles") }],
      summary: `Lists the roles of ${path.summary}`,
      response: listOf("roles", RoleView),
      query: queryOf(...PAGE_PARAMETERS),
      async handle({ params, query, url }) {
        const page = readPage(query, { defaultPageSize: undefined });
        const roles = partOf(await grants.listGranted(path.placeOf(params)), page, ({ id }) => id);
        const items = roles.map((role) => roleView(role, links));
        return listResponse("roles", items, { page, links, url });
      },
    });
  route("GET", path.one, {
    access: grantAccess(path, "check", deps),
    home: [{ relation: relation(path, "role") }],
    summary: `Checks a role of ${path.summary}`,
    handle: ({ params }) => grants.checkGranted(grantOf(params)),
  });
  route("PUT", path.one, {
    access: grantAccess(path, "create", deps),
    summary: `Grants a role to ${path.summary}`,
    handle: ({ params }) => grants.grant(grantOf(params)),
  });
  route("DELETE", path.one, {
    access: grantAccess(path, "revoke", deps),
    summary: `Revokes a role of ${path.summary}`,
    handle: ({ params }) => grants.revoke(grantOf(params)),
  });
}

type Parameters = Readonly<Record<string, string>>;

/** `project_user_role`, or `domain_group_roles_inherited_to_projects` */
function relation({ target, actor, isInherited }: GrantPath, what: "role" | "roles"): string {
  const name = `${target}_${actor}_${what}`;
  return isInherited ? extensionRelation("OS-INHERIT", `${name}_inherited_to_projects`) : coreRelation(name);
}

interface GrantAccessDeps {
  readonly roles: Pick<RoleService, "getRole">;
  readonly users: UserLookup;
  readonly groups: GroupLookup;
  readonly projects: ProjectLookup;
}

type Verb = "list" | "check" | "create" | "revoke";

/** The access of a route of grants. */
function grantAccess(path: GrantPath, verb: Verb, deps: GrantAccessDeps): TargetedAccess {
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

/** The paths of the roles of users or groups on one kind of target. */
interface GrantPath {
  readonly target: RoleTarget["kind"];
  readonly actor: "user" | "group";
  readonly isInherited: boolean;
  readonly list: string;
  /** Whether it has a list: as in Keystone, not for roles inherited from a project. */
  readonly hasList: boolean;
  readonly one: string;
  /** Completes "Lists the roles of". */
  readonly summary: string;
  readonly placeOf: (parameters: Parameters) => GrantPlace;
}

const TARGETS = [
  { target: "project", isInherited: false },
  { target: "domain", isInherited: false },
  { target: "system", isInherited: false },
  { target: "project", isInherited: true },
  { target: "domain", isInherited: true },
] as const;

function grantPaths(): GrantPath[] {
  return TARGETS.flatMap((kind) =>
    (["user", "group"] as const).map((actor) => grantPath({ ...kind, actor })),
  );
}

type Kind = Pick<GrantPath, "target" | "actor" | "isInherited">;

function grantPath({ target, actor, isInherited }: Kind): GrantPath {
  const start = isInherited ? "/v3/OS-INHERIT" : "/v3";
  const end = isInherited ? "/inherited_to_projects" : "";
  const place = target === "system" ? "system" : `${target}s/:${target}_id`;
  const roles = `${start}/${place}/${actor}s/:${actor}_id/roles`;
  return {
    target,
    actor,
    isInherited,
    list: `${roles}${end}`,
    hasList: !isInherited || target === "domain",
    one: `${roles}/:role_id${end}`,
    summary: `a ${actor} in ${PLACES[target]}${isInherited ? ", as it is inherited by the projects below" : ""}`,
    placeOf: (parameters) => ({
      actor: actorOf(actor, parameters),
      target: targetOf(target, parameters),
      isInherited,
    }),
  };
}

const PLACES = { project: "a project", domain: "a domain", system: "the system" } as const;

function actorOf(
  kind: GrantPath["actor"],
  { user_id: userId = "", group_id: groupId = "" }: Parameters,
): RoleActor {
  return kind === "user" ? { userId } : { groupId };
}

function targetOf(
  kind: RoleTarget["kind"],
  { project_id: projectId = "", domain_id: domainId = "" }: Parameters,
): RoleTarget {
  if (kind === "system") return { kind };
  return kind === "project" ? { kind, projectId } : { kind, domainId };
}
