/** `/scim/v2/{idp_id}/Groups` */
import type { FastifyReply } from "fastify";

import { groupResource, type ScimGroupService } from "../groups/scim-group-service.js";
import type { NamedProvisionedGroup } from "../groups/provisioned-group.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { readOperations } from "../patch/patch-operations.js";
import type { Projection } from "../schema/projection.js";
import type { ScimObject } from "../schema/scim-attribute.js";
import { GROUP_TYPE } from "../schema/scim-schemas.js";
import { etagOf } from "../scim-changes.js";
import type { ScimProvider } from "../scim-provider.js";
import { listMessage } from "./scim-messages.js";
import { sendDocument, sendResource } from "./scim-responses.js";
import {
  addScimRoute,
  lastTextOf,
  requestedFilter,
  requestedPage,
  requestedProjection,
  resourceKeyOf,
  SCIM_PREFIX,
  scimBodyOf,
  scimProviderOf,
  type ScimRequest,
} from "./scim-route.js";

export interface ScimGroupRoutesDeps {
  readonly groups: ScimGroupService;
  readonly links: Links;
}

/** Members in one list of groups: a page ends before it has more, unless one group has more alone. */
const MAX_LISTED_MEMBERS = 10_000;

export function addScimGroupRoutes(server: HttpServer, { groups, links }: ScimGroupRoutesDeps): void {
  const locationOf = (provider: ScimProvider, id: string) =>
    links.self(SCIM_PREFIX, provider.id, "Groups", id);

  /** With the members, if the response has them. @returns Their number too. */
  async function viewOf(provider: ScimProvider, group: NamedProvisionedGroup, projection: Projection) {
    const location = locationOf(provider, group.groupId);
    const resource = groupResource(group, location);
    if (!projection.includes("members")) return { resource: projection.apply(resource), location, size: 0 };
    const members: object[] = [];
    for await (const page of groups.membersOf(group))
      for (const { userId, userName } of page)
        members.push({
          value: userId,
          $ref: links.self(SCIM_PREFIX, provider.id, "Users", userId),
          display: userName,
          type: "User",
        });
    const { meta, ...rest } = resource;
    return { resource: projection.apply({ ...rest, members, meta }), location, size: members.length };
  }

  async function send(
    request: ScimRequest,
    reply: FastifyReply,
    group: ReturnType<ScimGroupService["get"]>,
    status: 200 | 201 = 200,
  ) {
    const projection = requestedProjection(request, GROUP_TYPE);
    const found = await group;
    const { resource, location } = await viewOf(scimProviderOf(request), found, projection);
    return sendResource(reply, { status, version: found.version, location, resource });
  }

  addScimRoute(server, {
    method: "GET",
    path: "/Groups",
    summary: "Lists the groups that an identity provider has pushed",
    async handler(request, reply) {
      const provider = scimProviderOf(request);
      const projection = requestedProjection(request, GROUP_TYPE);
      const page = requestedPage(request);
      const { total, items } = await groups.list(provider, requestedFilter(request), page);
      const resources: ScimObject[] = [];
      let members = 0;
      for (const group of items) {
        const { resource, size } = await viewOf(provider, group, projection);
        members += size;
        if (members > MAX_LISTED_MEMBERS && resources.length > 0) break;
        resources.push(resource);
      }
      return sendDocument(reply, listMessage({ total, startIndex: page.startIndex, resources }));
    },
  });
  addScimRoute(server, {
    method: "POST",
    path: "/Groups",
    action: "scim:create_group",
    summary: "Pushes a group",
    handler: (request, reply) =>
      send(request, reply, groups.create(scimProviderOf(request), scimBodyOf(request)), 201),
  });
  addScimRoute(server, {
    method: "GET",
    path: "/Groups/:id",
    summary: "Shows a pushed group",
    handler: (request, reply) => send(request, reply, groups.get(scimProviderOf(request), request.params.id)),
  });
  addScimRoute(server, {
    method: "PUT",
    path: "/Groups/:id",
    action: "scim:replace_group",
    summary: "Replaces a pushed group and its members",
    handler: (request, reply) =>
      send(
        request,
        reply,
        groups.replace(scimProviderOf(request), resourceKeyOf(request), scimBodyOf(request)),
      ),
  });
  addScimRoute(server, {
    method: "PATCH",
    path: "/Groups/:id",
    action: "scim:update_group",
    summary: "Changes a pushed group, or some of its members",
    async handler(request, reply) {
      const changes = readOperations(scimBodyOf(request), GROUP_TYPE);
      const changed = groups.change(scimProviderOf(request), resourceKeyOf(request), changes);
      if (lastTextOf(request.query["attributes"]) !== undefined) return send(request, reply, changed);
      // The members are not sent back: there may be thousands.
      reply.header("etag", etagOf((await changed).version));
      return reply.code(204).send();
    },
  });
  addScimRoute(server, {
    method: "DELETE",
    path: "/Groups/:id",
    action: "scim:delete_group",
    summary: "Deletes a pushed group",
    async handler(request, reply) {
      await groups.delete(scimProviderOf(request), resourceKeyOf(request));
      return reply.code(204).send();
    },
  });
}
