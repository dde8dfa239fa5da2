/** `/v3/roles/{prior}/implies` and `/v3/role_inferences` */
import { coreParameter, coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createRoutes } from "../platform/http/route.js";
import type { ImpliedRoleService, Inference, RolePair } from "./implied-role-service.js";
import { ImpliedRoleResponse, ImpliedRolesResponse, InferenceList } from "./role-schema.js";
import type { Role } from "./role-store.js";

export interface ImpliedRoleRoutesDeps {
  readonly impliedRoles: ImpliedRoleService;
  readonly links: Links;
}

const PARAMETERS = { prior_role_id: coreParameter("role_id"), implied_role_id: coreParameter("role_id") };

export function addImpliedRoleRoutes(
  server: HttpServer,
  { impliedRoles, links }: ImpliedRoleRoutesDeps,
): void {
  const route = createRoutes(server, "roles");
  const path = "/v3/roles/:prior_role_id/implies/:implied_role_id";
  const refer = ({ id, name }: Role) => ({ id, links: { self: links.self("/v3/roles", id) }, name });
  const showAll = ({ prior, implied }: Inference) => ({
    prior_role: refer(prior),
    implies: implied.map(refer),
  });
  const show = ({ prior, implied }: RolePair) => ({
    role_inference: { prior_role: refer(prior), implies: refer(implied) },
    links: { self: links.self("/v3/roles", prior.id, "implies", implied.id) },
  });

  route("GET", "/v3/roles/:prior_role_id/implies", {
    access: "identity:list_implied_roles",
    home: [{ relation: coreRelation("implied_roles"), parameters: PARAMETERS }],
    summary: "Lists the roles that a role implies",
    response: ImpliedRolesResponse,
    handle: async ({ params: { prior_role_id: id } }) => ({
      role_inference: showAll(await impliedRoles.impliedBy(id)),
      links: { self: links.self("/v3/roles", id, "implies") },
    }),
  });
  route("PUT", path, {
    access: "identity:create_implied_role",
    summary: "Has a role imply another",
    status: 201,
    response: ImpliedRoleResponse,
    handle: async ({ params }) => show(await impliedRoles.imply(ruleOf(params))),
  });
  // Before GET, for which fastify would add a HEAD of its own.
  route("HEAD", path, {
    access: "identity:check_implied_role",
    summary: "Checks that a role implies another",
    handle: ({ params }) => impliedRoles.getImplied(ruleOf(params)),
  });
  route("GET", path, {
    access: "identity:get_implied_role",
    home: [{ relation: coreRelation("implied_role"), parameters: PARAMETERS }],
    summary: "Shows that a role implies another",
    response: ImpliedRoleResponse,
    handle: async ({ params }) => show(await impliedRoles.getImplied(ruleOf(params))),
  });
  route("DELETE", path, {
    access: "identity:delete_implied_role",
    summary: "Has a role no longer imply another",
    handle: ({ params }) => impliedRoles.stopImplying(ruleOf(params)),
  });
  route("GET", "/v3/role_inferences", {
    access: "identity:list_role_inference_rules",
    home: "role_inferences",
    summary: "Lists all roles that imply others",
    response: InferenceList,
    handle: async () => ({ role_inferences: (await impliedRoles.listInferences()).map(showAll) }),
  });
}

function ruleOf(params: { readonly prior_role_id: string; readonly implied_role_id: string }) {
  return { priorRoleId: params.prior_role_id, impliedRoleId: params.implied_role_id };
}
