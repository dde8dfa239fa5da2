/** `/v3/roles` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import type { Query } from "../platform/http/query.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import type { ChosenAccess } from "../policy/guard.js";
import type { AccessCheck, Action } from "../policy/is-allowed.js";
import { NewRole, RoleChange, RoleListQuery, roleFields, RoleView, ROLE_FILTERS, type Role } from "./role.js";
import type { RoleService } from "./role-service.js";

export function addRoleRoutes(
  server: HttpServer,
  { roles, ...deps }: ResourceDeps & { readonly roles: RoleService },
): void {
  const resource = createResource(server, deps, {
    path: "/v3/roles",
    id: "role_id",
    name: "role",
    schema: RoleView,
    view: (role: Role) => roleView(role, deps.links),
  });
  resource.list({
    summary: "Lists the roles of all domains, or those of one",
    access: { choose: listAccess },
    query: RoleListQuery,
    filters: ROLE_FILTERS,
    sortKeys: ["name", "description"],
    read: (query, request) => roles.listRoles({ ...query, domainId: request.query["domain_id"] ?? null }),
    count: (query, request) => roles.countRoles({ ...query, domainId: request.query["domain_id"] ?? null }),
  });
  resource.create({ access: { choose: createAccess }, body: NewRole, create: roles.createRole });
  resource.show({ access: roleAccess(roles, "get"), read: roles.getRole });
  resource.update({ access: roleAccess(roles, "update"), body: RoleChange, update: roles.updateRole });
  resource.delete({
    summary: "Deletes a role and takes it from all who have it",
    access: roleAccess(roles, "delete"),
    delete: roles.deleteRole,
  });
}

function listAccess({ query }: FastifyRequest): AccessCheck {
  const isOfDomain = Boolean((query as Query)["domain_id"]);
  return { action: isOfDomain ? "identity:list_domain_roles" : "identity:list_roles" };
}

function createAccess({ body }: FastifyRequest): AccessCheck {
  const { role } = (body ?? {}) as { readonly role?: { readonly domain_id?: unknown } | null };
  return { action: role?.domain_id ? "identity:create_domain_role" : "identity:create_role" };
}

/** Roles of domains have actions of their own. As in Keystone, callers without permission get 404 too if the role does not exist. */
function roleAccess(roles: RoleService, verb: "get" | "update" | "delete"): ChosenAccess {
  return {
    async choose({ params }) {
      const role = await roles.getRole((params as { role_id: string }).role_id);
      const kind = role.domainId === null ? "role" : "domain_role";
      const action: Action = `identity:${verb}_${kind}`;
      return { action, target: { role } };
    },
  };
}

/** A role in responses. */
export function roleView(role: Role, links: Links) {
  const { id, options, extra } = role;
  return { ...extra, ...roleFields.view(role), options, links: { self: links.self("/v3/roles", id) } };
}
