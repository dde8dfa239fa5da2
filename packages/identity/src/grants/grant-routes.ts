/** Grants: below `/v3/projects`, `/v3/domains` and `/v3/system`; inherited ones below `/v3/OS-INHERIT`. */
import { coreRelation, extensionRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { listResponse } from "../platform/http/lists/paging.js";
import { WHOLE_LIST } from "../platform/database/list-query.js";
import { noContent } from "../platform/http/resource-route.js";
import { listOf, pathOf } from "../platform/http/validation/schema-parts.js";
import { grantAccess, type GrantAccessDeps } from "./grant-access.js";
import { grantPaths, type GrantPath } from "./grant-paths.js";
import type { GrantService } from "./grant-service.js";
import { roleView } from "../roles/role-routes.js";
import { RoleView } from "../roles/role-schema.js";

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
        response: { 200: listOf("roles", RoleView) },
      },
    },
    async ({ params, url }) => {
      const roles = await grants.listGranted(path.placeOf(params));
      const items = roles.map((role) => roleView(role, links));
      // As in Keystone, these short lists have no pages.
      return listResponse("roles", items, { page: WHOLE_LIST.page, links, url });
    },
  );
}

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
    async ({ params: names }, reply) => noContent(reply, grants.checkGranted(grantOf(names))),
  );

  server.put(
    path.one,
    {
      config: { access: grantAccess(path, "create", deps) },
      schema: { tags: TAGS, summary: `Grants a role to ${path.summary}`, params },
    },
    async ({ params: names }, reply) => noContent(reply, grants.grant(grantOf(names))),
  );

  server.delete(
    path.one,
    {
      config: { access: grantAccess(path, "revoke", deps) },
      schema: { tags: TAGS, summary: `Revokes a role of ${path.summary}`, params },
    },
    async ({ params: names }, reply) => noContent(reply, grants.revoke(grantOf(names))),
  );
}

type Names = Readonly<Record<string, string>>;

/** `project_user_role`, or `domain_group_roles_inherited_to_projects` */
function relation({ target, actor, isInherited }: GrantPath, what: "role" | "roles"): string {
  const name = `${target}_${actor}_${what}`;
  return isInherited ? extensionRelation("OS-INHERIT", `${name}_inherited_to_projects`) : coreRelation(name);
}
