/** `/scim/v2/{idp_id}/Groups` */
import type { FastifyReply } from "fastify";

import { groupResource, type ScimGroupService } from "../groups/scim-group-service.js";
import type { NamedProvisionedGroup } from "../groups/provisioned-group.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Links } from "../../platform/http/links.js";
import { readOperations } from "../patch/patch-operations.js";
import type { Projection } from "../schema/projection.js";
import { GROUP_TYPE } from "../schema/scim-schemas.js";
import { etagOf } from "../scim-changes.js";
import type { ScimProvider } from "../scim-provider.js";
import { sendList, sendResource } from "./scim-responses.js";
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

/** Members in one list of groups: it ends with the group that reaches them. */
const MAX_LISTED_MEMBERS = 10_000;
/** Members of one piece of text. */
const MAX_PIECE_MEMBERS = 100;

interface ShownGroup {
  readonly group: NamedProvisionedGroup;
  readonly projection: Projection;
  readonly onMembers?: (count: number) => void;
}

export function addScimGroupRoutes(server: HttpServer, { groups, links }: ScimGroupRoutesDeps): void {
  const locationOf = (provider: ScimProvider, id: string) =>
    links.self(SCIM_PREFIX, provider.id, "Groups", id);

  /**
   * The text of a group in pieces, with the members if the response has them.
   *
   * @param shown.onMembers Called with the number of members of each piece.
   */
  async function* textOf(
    provider: ScimProvider,
    { group, projection, onMembers }: ShownGroup,
  ): AsyncGenerator<string> {
    const resource = groupResource(group, locationOf(provider, group.groupId));
    const text = JSON.stringify(projection.apply(resource));
    if (!projection.includes("members")) {
      yield text;
      return;
    }
    // It has an id in any case.
    let lead = `${text.slice(0, -1)},"members":[`;
    for await (const page of groups.membersOf(group))
      for (let at = 0; at < page.length; at += MAX_PIECE_MEMBERS) {
        const members = page.slice(at, at + MAX_PIECE_MEMBERS).map(({ userId, userName }) => ({
          value: userId,
          $ref: links.self(SCIM_PREFIX, provider.id, "Users", userId),
          display: userName,
          type: "User",
        }));
        onMembers?.(members.length);
        yield lead + JSON.stringify(projection.apply({ members })["members"]).slice(1, -1);
        lead = ",";
      }
    yield lead === "," ? "]}" : `${lead}]}`;
  }

  async function send(
    request: ScimRequest,
    reply: FastifyReply,
    group: ReturnType<ScimGroupService["get"]>,
    status: 200 | 201 = 200,
  ) {
    const projection = requestedProjection(request, GROUP_TYPE);
    const provider = scimProviderOf(request);
    const found = await group;
    const location = locationOf(provider, found.groupId);
    const text = textOf(provider, { group: found, projection });
    return sendResource(reply, { status, version: found.version, location, text });
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
      async function* texts() {
        let members = 0;
        const onMembers = (count: number) => void (members += count);
        for (const group of items) {
          if (members >= MAX_LISTED_MEMBERS) return;
          yield textOf(provider, { group, projection, onMembers });
        }
      }
      return sendList(reply, { total, startIndex: page.startIndex }, texts());
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
