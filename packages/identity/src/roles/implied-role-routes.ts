/** `/v3/roles/{prior}/implies` and `/v3/role_inferences` */
import { coreParameter, coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { noContent } from "../platform/http/resource-route.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import type { ImpliedRoleService, RolePair } from "./implied-role-service.js";
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
  const tags = ["roles"];
  const params = pathOf("prior_role_id", "implied_role_id");
  const path = "/v3/roles/:prior_role_id/implies/:implied_role_id";
  const refer = ({ id, name }: Role) => ({ id, links: { self: links.self("/v3/roles", id) }, name });
  const show = ({ prior, implied }: RolePair) => ({
    role_inference: { prior_role: refer(prior), implies: refer(implied) },
    links: { self: links.self("/v3/roles", prior.id, "implies", implied.id) },
  });

  server.get(
    "/v3/roles/:prior_role_id/implies",
    {
      config: {
        access: "identity:list_implied_roles",
        home: [{ relation: coreRelation("implied_roles"), parameters: PARAMETERS }],
      },
      schema: {
        tags,
        summary: "Lists the roles that a role implies",
        params: pathOf("prior_role_id"),
        response: { 200: ImpliedRolesResponse },
      },
    },
    async ({ params: { prior_role_id: id } }) => {
      const { prior, implied } = await impliedRoles.impliedBy(id);
      return {
        role_inference: { prior_role: refer(prior), implies: implied.map(refer) },
        links: { self: links.self("/v3/roles", id, "implies") },
      };
    },
  );

  server.put(
    path,
    {
      config: { access: "identity:create_implied_role" },
      schema: { tags, summary: "Has a role imply another", params, response: { 201: ImpliedRoleResponse } },
    },
    async ({ params: rule }, reply) => reply.code(201).send(show(await impliedRoles.imply(ruleOf(rule)))),
  );

  // Before GET, for which fastify would add a HEAD of its own.
  server.head(
    path,
    {
      config: { access: "identity:check_implied_role" },
      schema: { tags, summary: "Checks that a role implies another", params },
    },
    async (request, reply) => noContent(reply, impliedRoles.getImplied(ruleOf(request.params))),
  );

  server.get(
    path,
    {
      config: {
        access: "identity:get_implied_role",
        home: [{ relation: coreRelation("implied_role"), parameters: PARAMETERS }],
      },
      schema: {
        tags,
        summary: "Shows that a role implies another",
        params,
        response: { 200: ImpliedRoleResponse },
      },
    },
    async ({ params: rule }) => show(await impliedRoles.getImplied(ruleOf(rule))),
  );

  server.delete(
    path,
    {
      config: { access: "identity:delete_implied_role" },
      schema: { tags, summary: "Has a role no longer imply another", params },
    },
    async (request, reply) => noContent(reply, impliedRoles.stopImplying(ruleOf(request.params))),
  );

  server.get(
    "/v3/role_inferences",
    {
      config: {
        access: "identity:list_role_inference_rules",
        home: [{ relation: coreRelation("role_inferences") }],
      },
      schema: { tags, summary: "Lists all roles that imply others", response: { 200: InferenceList } },
    },
    async () => {
      const found = await impliedRoles.listInferences();
      return {
        role_inferences: found.map(({ prior, implied }) => ({
          prior_role: refer(prior),
          implies: implied.map(refer),
        })),
      };
    },
  );
}

function ruleOf(params: { readonly prior_role_id: string; readonly implied_role_id: string }) {
  return { priorRoleId: params.prior_role_id, impliedRoleId: params.implied_role_id };
}
