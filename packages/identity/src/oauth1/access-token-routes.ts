/** `/v3/users/{user_id}/OS-OAUTH1/access_tokens` */
import type { FastifyRequest } from "fastify";

import { formatTimestamp } from "../platform/clock.js";
import { homeIn } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { listResponse, partOf, readPage } from "../platform/http/lists/paging.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes, type RouteRequest } from "../platform/http/route.js";
import { bodyOf, listOf, PAGE_PARAMETERS, queryOf } from "../platform/http/validation/schema-parts.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { Action } from "../policy/is-allowed.js";
import { roleView } from "../roles/role-routes.js";
import type { Role } from "../roles/role.js";
import { OAUTH1, OAUTH1_TAG } from "./oauth1-routes.js";
import { type OAuth1Service } from "./oauth1-service.js";
import { AccessTokenView, AuthorizedRoleView, type StoredToken } from "./oauth1-store.js";

const PATH = "/v3/users/:user_id/OS-OAUTH1/access_tokens";

export function addAccessTokenRoutes(
  server: HttpServer,
  { oauth1, ...deps }: ResourceDeps & { readonly oauth1: OAuth1Service },
): void {
  const { links } = deps;
  const resource = createResource(server, deps, {
    path: PATH,
    id: "access_token_id",
    name: "access_token",
    relation: "user_access_token",
    place: OAUTH1,
    tag: OAUTH1_TAG,
    schema: AccessTokenView,
    view: (token: StoredToken) => accessTokenView(token, links),
  });
  resource.list({
    summary: "Lists the access tokens that a user has authorized",
    access: of("identity:list_access_tokens"),
    read: (query, request) => oauth1.list({ ...query, userId: userIdIn(request) }),
  });
  resource.show({
    access: of("identity:get_access_token"),
    read: (id, request) => oauth1.get(id, userIdIn(request)),
  });
  resource.delete({
    access: of("identity:delete_access_token"),
    delete: (id, request) => oauth1.delete(id, userIdIn(request)),
  });

  const add = createRoutes(server, OAUTH1_TAG);
  add("GET", `${PATH}/:access_token_id/roles`, {
    access: of("identity:list_access_token_roles"),
    home: homeIn(OAUTH1, "user_access_token_roles", "access_token_id"),
    summary: "Lists the roles of an access token",
    response: listOf("roles", AuthorizedRoleView),
    query: queryOf(...PAGE_PARAMETERS),
    async handle({ params, query, url }) {
      const page = readPage(query, { defaultPageSize: undefined });
      const all = await oauth1.listRoles(params.access_token_id, params.user_id);
      const roles = partOf(all, page, ({ id }) => id).map((role) => shownRole(role, links));
      return listResponse("roles", roles, { page, links, url });
    },
  });
  add("GET", `${PATH}/:access_token_id/roles/:role_id`, {
    access: of("identity:get_access_token_role"),
    home: homeIn(OAUTH1, "user_access_token_role", "access_token_id"),
    summary: "Shows a role of an access token",
    response: bodyOf("role", AuthorizedRoleView),
    async handle({ params: { access_token_id: id, user_id: userId, role_id: roleId } }) {
      return { role: shownRole(await oauth1.getRole(id, { userId, roleId }), links) };
    },
  });
}

/** On the user in the path, not by a delegated token. */
function of(action: Action) {
  return {
    action,
    target({ caller, params }: FastifyRequest) {
      rejectDelegated("oauth1", caller);
      return { user: { id: (params as { readonly user_id: string }).user_id } };
    },
  };
}

function userIdIn({ params }: RouteRequest): string {
  return params["user_id"] ?? "";
}

function accessTokenView({ id, consumerId, projectId, userId, expiresAt }: StoredToken, links: Links) {
  const self = links.self("/v3/users", userId ?? "", "OS-OAUTH1", "access_tokens", id);
  return {
    id,
    consumer_id: consumerId,
    project_id: projectId,
    authorizing_user_id: userId,
    expires_at: formatTimestamp(expiresAt),
    links: { self, roles: `${self}/roles` },
  };
}

function shownRole(role: Role, links: Links) {
  const { description: _, ...shown } = roleView(role, links);
  return shown;
}
