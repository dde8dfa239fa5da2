/** `/scim/v2/{idp_id}/Users` */
import type { FastifyReply } from "fastify";

import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { readOperations } from "../patch/patch-operations.js";
import { USER_TYPE } from "../schema/scim-schemas.js";
import type { ScimProvider } from "../scim-provider.js";
import { userResource } from "../users/scim-user.js";
import type { ScimUserService } from "../users/scim-user-service.js";
import { sendList, sendResource } from "./scim-responses.js";
import {
  addScimRoute,
  requestedFilter,
  requestedPage,
  requestedProjection,
  resourceKeyOf,
  SCIM_PREFIX,
  scimBodyOf,
  scimProviderOf,
  type ScimRequest,
} from "./scim-route.js";

export interface ScimUserRoutesDeps {
  readonly users: ScimUserService;
  readonly links: Links;
}

export function addScimUserRoutes(server: HttpServer, { users, links }: ScimUserRoutesDeps): void {
  const locationOf = (provider: ScimProvider, id: string) =>
    links.self(SCIM_PREFIX, provider.id, "Users", id);

  async function send(
    request: ScimRequest,
    reply: FastifyReply,
    user: ReturnType<ScimUserService["get"]>,
    status: 200 | 201 = 200,
  ) {
    const projection = requestedProjection(request, USER_TYPE);
    const found = await user;
    const location = locationOf(scimProviderOf(request), found.userId);
    const resource = projection.apply(userResource(found, location));
    return sendResource(reply, { status, version: found.version, location, text: JSON.stringify(resource) });
  }

  addScimRoute(server, {
    method: "GET",
    path: "/Users",
    summary: "Lists the users that an identity provider has pushed",
    async handler(request, reply) {
      const provider = scimProviderOf(request);
      const projection = requestedProjection(request, USER_TYPE);
      const page = requestedPage(request);
      const { total, items } = await users.list(provider, requestedFilter(request), page);
      function* texts() {
        for (const user of items)
          yield JSON.stringify(projection.apply(userResource(user, locationOf(provider, user.userId))));
      }
      return sendList(reply, { total, startIndex: page.startIndex }, texts());
    },
  });
  addScimRoute(server, {
    method: "POST",
    path: "/Users",
    action: "scim:create_user",
    summary: "Pushes a user",
    handler: (request, reply) =>
      send(request, reply, users.create(scimProviderOf(request), scimBodyOf(request)), 201),
  });
  addScimRoute(server, {
    method: "GET",
    path: "/Users/:id",
    summary: "Shows a pushed user",
    handler: (request, reply) => send(request, reply, users.get(scimProviderOf(request), request.params.id)),
  });
  addScimRoute(server, {
    method: "PUT",
    path: "/Users/:id",
    action: "scim:replace_user",
    summary: "Replaces the attributes of a pushed user",
    handler: (request, reply) =>
      send(
        request,
        reply,
        users.replace(scimProviderOf(request), resourceKeyOf(request), scimBodyOf(request)),
      ),
  });
  addScimRoute(server, {
    method: "PATCH",
    path: "/Users/:id",
    action: "scim:update_user",
    summary: "Changes attributes of a pushed user",
    handler: (request, reply) => {
      const changes = readOperations(scimBodyOf(request), USER_TYPE);
      return send(request, reply, users.change(scimProviderOf(request), resourceKeyOf(request), changes));
    },
  });
  addScimRoute(server, {
    method: "DELETE",
    path: "/Users/:id",
    action: "scim:delete_user",
    summary: "Deletes a pushed user",
    async handler(request, reply) {
      await users.delete(scimProviderOf(request), resourceKeyOf(request));
      return reply.code(204).send();
    },
  });
}
