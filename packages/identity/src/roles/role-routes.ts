/** `/v3/roles` */
import type { FastifyRequest } from "fastify";

import type { Action } from "../policy/is-allowed.js";
import type { AccessCheck, ChosenAccess } from "../policy/guard.js";
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { Query } from "../platform/http/query.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { ifFound } from "./if-found.js";
import { NewRole, RoleAnswer, RoleChange, RoleList, RoleListQuery } from "./role-schema.js";
import type { RoleService } from "./role-service.js";
import { ROLE_FILTERS, type Role } from "./role-store.js";

export interface RoleRoutesDeps {
  readonly roles: RoleService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addRoleRoutes(server: HttpServer, { roles, links, listLimit }: RoleRoutesDeps): void {
  const tags = ["roles"];
  const params = pathOf("role_id");
  const show = (role: Role) => ({ role: roleView(role, links) });
  const accessToRole = (verb: "get" | "update" | "delete") => roleAccess(roles, verb);

  server.get(
    "/v3/roles",
    {
      config: { access: { choose: askedToList }, home: [{ relation: coreRelation("roles") }] },
      schema: {
        tags,
        summary: "Lists the roles of all domains, or those of one",
        querystring: RoleListQuery,
        response: { 200: RoleList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const filters = readFilters(query as Query, ROLE_FILTERS);
      const readPart = async (part: Page) => {
        const found = await roles.listRoles({ domainId: query.domain_id ?? null, filters, page: part });
        return found.map((role) => roleView(role, links));
      };
      return sendPages(reply, "roles", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/roles",
    {
      config: { access: { choose: askedToCreate } },
      schema: { tags, summary: "Creates a role", body: NewRole, response: { 201: RoleAnswer } },
    },
    async ({ body }, reply) => reply.code(201).send(show(await roles.createRole(body.role))),
  );

  server.get(
    "/v3/roles/:role_id",
    {
      config: { access: accessToRole("get"), home: [{ relation: coreRelation("role") }] },
      schema: { tags, summary: "Shows a role", params, response: { 200: RoleAnswer } },
    },
    async ({ params: { role_id: id } }) => show(await roles.getRole(id)),
  );

  server.patch(
    "/v3/roles/:role_id",
    {
      config: { access: accessToRole("update") },
      schema: { tags, summary: "Changes a role", params, body: RoleChange, response: { 200: RoleAnswer } },
    },
    async ({ params: { role_id: id }, body }) => show(await roles.updateRole(id, body.role)),
  );

  server.delete(
    "/v3/roles/:role_id",
    {
      config: { access: accessToRole("delete") },
      schema: { tags, summary: "Deletes a role and takes it from all who have it", params },
    },
    async ({ params: { role_id: id } }, reply) => {
      await roles.deleteRole(id);
      return reply.code(204).send();
    },
  );
}

function askedToList({ query }: FastifyRequest): AccessCheck {
  const isOfDomain = Boolean((query as Query)["domain_id"]);
  return { action: isOfDomain ? "identity:list_domain_roles" : "identity:list_roles" };
}

function askedToCreate({ body }: FastifyRequest): AccessCheck {
  const { role } = (body ?? {}) as { readonly role?: { readonly domain_id?: unknown } | null };
  return { action: role?.domain_id ? "identity:create_domain_role" : "identity:create_role" };
}

/** A role of a domain is another matter than one of all domains. */
function roleAccess(roles: RoleService, verb: "get" | "update" | "delete"): ChosenAccess {
  return {
    async choose({ params }) {
      const role = await ifFound(roles.getRole((params as { role_id: string }).role_id));
      const kind = role === undefined || role.domainId === null ? "role" : "domain_role";
      const action: Action = `identity:${verb}_${kind}`;
      return { action, target: role === undefined ? {} : { role } };
    },
  };
}

/** A role as it is answered. */
export function roleView({ id, name, domainId, description, options, extra }: Role, links: Links) {
  return {
    ...extra,
    id,
    name,
    domain_id: domainId,
    description,
    options,
    links: { self: links.self("/v3/roles", id) },
  };
}
