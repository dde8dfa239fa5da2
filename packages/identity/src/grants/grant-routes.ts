/** Grants: below `/v3/projects`, `/v3/domains` and `/v3/system`; inherited ones below `/v3/OS-INHERIT`. */
import { WHOLE_LIST } from "../platform/database/list-query.js";
import { coreRelation, extensionRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { listResponse } from "../platform/http/lists/paging.js";
import { createRoutes } from "../platform/http/route.js";
import { listOf } from "../platform/http/validation/schema-parts.js";
import { roleView } from "../roles/role-routes.js";
import { RoleView } from "../roles/role-schema.js";
import { grantAccess, type GrantAccessDeps } from "./grant-access.js";
import { grantPaths, type GrantPath } from "./grant-paths.js";
import type { GrantService } from "./grant-service.js";

export interface GrantRoutesDeps extends GrantAccessDeps {
  readonly grants: GrantService;
  readonly links: Links;
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
      async handle({ params, url }) {
        const roles = await grants.listGranted(path.placeOf(params));
        const items = roles.map((role) => roleView(role, links));
        // As in Keystone, these short lists have no pages.
        return listResponse("roles", items, { page: WHOLE_LIST.page, links, url });
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
