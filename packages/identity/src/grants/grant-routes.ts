/** Who has which role where: below `/v3/projects`, `/v3/domains` and `/v3/system`, and for what is inherited `/v3/OS-INHERIT`. */
import { coreRelation, extensionRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { listAnswer } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { grantAccess, type GrantAccessDeps } from "./grant-access.js";
import { grantPaths, type GrantPath } from "./grant-paths.js";
import type { GrantService } from "./grant-service.js";
import { roleView } from "../roles/role-routes.js";
import { RoleList } from "../roles/role-schema.js";

export interface GrantRoutesDeps extends GrantAccessDeps {
  readonly grants: GrantService;
  readonly links: Links;
}

const TAGS = ["grants"];

export function addGrantRoutes(server: HttpServer, deps: GrantRoutesDeps): void {
  for (const path of grantPaths()) {
    if (path.hasList) addListRoute(server, deps, path);
    addRoutesOfOne(server, deps, path);
  }
}

function addListRoute(server: HttpServer, deps: GrantRoutesDeps, path: GrantPath): void {
  const { grants, links } = deps;
  server.get(
    path.list,
    {
      config: { access: grantAccess(path, "list", deps), home: [{ relation: relation(path, "roles") }] },
      schema: {
        tags: TAGS,
        summary: `Lists the roles of ${path.summary}`,
        params: pathOf(...path.parameters),
        response: { 200: RoleList },
      },
    },
    async ({ params, url }) => {
      const roles = await grants.listGranted(path.placeOf(params));
      const items = roles.map((role) => roleView(role, links));
      return listAnswer("roles", items, { page: WHOLE, links, url });
    },
  );
}

/** Keystone gives these lists whole: nobody has that many roles in one place. */
const WHOLE = { limit: undefined, marker: undefined };

function addRoutesOfOne(server: HttpServer, deps: GrantRoutesDeps, path: GrantPath): void {
  const { grants } = deps;
  const params = pathOf(...path.parameters, "role_id");
  const grantOf = (names: Names) => ({ ...path.placeOf(names), roleId: names["role_id"] ?? "" });

  server.get(
    path.one,
    {
      config: { access: grantAccess(path, "check", deps), home: [{ relation: relation(path, "role") }] },
      schema: { tags: TAGS, summary: `Checks a role of ${path.summary}`, params },
    },
    async (request, reply) => {
      await grants.checkGranted(grantOf(request.params));
      return reply.code(204).send();
    },
  );

  server.put(
    path.one,
    {
      config: { access: grantAccess(path, "create", deps) },
      schema: { tags: TAGS, summary: `Gives a role to ${path.summary}`, params },
    },
    async (request, reply) => {
      await grants.grant(grantOf(request.params));
      return reply.code(204).send();
    },
  );

  server.delete(
    path.one,
    {
      config: { access: grantAccess(path, "revoke", deps) },
      schema: { tags: TAGS, summary: `Takes a role from ${path.summary}`, params },
    },
    async (request, reply) => {
      await grants.revoke(grantOf(request.params));
      return reply.code(204).send();
    },
  );
}

type Names = Readonly<Record<string, string>>;

/** `project_user_role`, or `domain_group_roles_inherited_to_projects` */
function relation({ target, actor, isInherited }: GrantPath, what: "role" | "roles"): string {
  const name = `${target}_${actor}_${what}`;
  return isInherited ? extensionRelation("OS-INHERIT", `${name}_inherited_to_projects`) : coreRelation(name);
}
