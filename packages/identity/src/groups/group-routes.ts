/** `/v3/groups` */
import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/credentials.js";
import { domainForNew, domainInBody, onlyDomainOf } from "../policy/own-domain.js";
import { GroupAnswer, GroupChange, GroupList, GroupQuery, NewGroup } from "./group-schema.js";
import type { GroupService } from "./group-service.js";
import { GROUP_FILTERS, type Group } from "./group-store.js";
import { viewOfGroup } from "./group-view.js";

export interface GroupRoutesDeps {
  readonly groups: GroupService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addGroupRoutes(server: HttpServer, { groups, links, listLimit }: GroupRoutesDeps): void {
  const tags = ["groups"];
  const params = pathOf("group_id");
  const show = (group: Group) => ({ group: viewOfGroup(group, links) });
  const target = async (request: FastifyRequest): Promise<PolicyTarget> => {
    const { group_id: id } = request.params as { readonly group_id: string };
    const group = await groups.findGroup({ id });
    return group === undefined ? {} : { group };
  };

  server.get(
    "/v3/groups",
    {
      config: {
        access: { action: "identity:list_groups", target: ({ caller }) => inDomain(onlyDomainOf(caller)) },
        home: [{ relation: coreRelation("groups") }],
      },
      schema: { tags, summary: "Lists groups", querystring: GroupQuery, response: { 200: GroupList } },
    },
    async ({ query, url, caller }, reply) => {
      const page = readPage(query, { listLimit });
      const filters = readFilters(query, GROUP_FILTERS);
      const readPart = async (part: Page) => {
        const found = await groups.list({ filters, page: part, domainId: onlyDomainOf(caller) });
        return found.map((group) => viewOfGroup(group, links));
      };
      return sendPages(reply, "groups", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/groups",
    {
      config: {
        access: {
          action: "identity:create_group",
          target: (request) => inDomain(domainInBody(request, "group")),
        },
      },
      schema: { tags, summary: "Creates a group", body: NewGroup, response: { 201: GroupAnswer } },
    },
    async ({ body, caller }, reply) => {
      const group = await groups.create({
        ...body.group,
        domain_id: body.group.domain_id ?? domainForNew(caller),
      });
      return reply.code(201).send(show(group));
    },
  );

  server.get(
    "/v3/groups/:group_id",
    {
      config: {
        access: { action: "identity:get_group", target },
        home: [{ relation: coreRelation("group") }],
      },
      schema: { tags, summary: "Shows a group", params, response: { 200: GroupAnswer } },
    },
    async ({ params: { group_id: id } }) => show(await groups.getGroup(id)),
  );

  server.patch(
    "/v3/groups/:group_id",
    {
      config: { access: { action: "identity:update_group", target } },
      schema: { tags, summary: "Changes a group", params, body: GroupChange, response: { 200: GroupAnswer } },
    },
    async ({ params: { group_id: id }, body }) => show(await groups.update(id, body.group)),
  );

  server.delete(
    "/v3/groups/:group_id",
    {
      config: { access: { action: "identity:delete_group", target } },
      schema: { tags, summary: "Deletes a group", params },
    },
    async ({ params: { group_id: id } }, reply) => {
      await groups.delete(id);
      return reply.code(204).send();
    },
  );
}

function inDomain(domainId: string | undefined): PolicyTarget {
  return domainId === undefined ? {} : { group: { domainId } };
}
