/** `/v3/groups` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { domainForNew, domainInBody, onlyDomainOf, type PolicyTarget } from "../policy/caller.js";
import {
  GroupChange,
  GroupListQuery,
  groupFields,
  GroupView,
  NewGroup,
  GROUP_FILTERS,
  type Group,
  type ShownGroup,
} from "./group.js";
import type { GroupService } from "./group-service.js";

export function addGroupRoutes(
  server: HttpServer,
  { groups, ...deps }: ResourceDeps & { readonly groups: GroupService },
): void {
  const target = async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const group = await groups.findGroup({ id: groupIdIn({ params }) });
    return group === undefined ? {} : { group };
  };
  const resource = createResource(server, deps, {
    path: "/v3/groups",
    id: "group_id",
    name: "group",
    schema: GroupView,
    view: (group: ShownGroup) => groupView(group, deps.links),
  });
  resource.list({
    target: ({ caller }) => inDomain(onlyDomainOf(caller)),
    query: GroupListQuery,
    filters: GROUP_FILTERS,
    sortKeys: ["name", "domain_id", "description"],
    pageSize: ({ query, caller }) => groups.pageSizeOf(query["domain_id"] ?? onlyDomainOf(caller)),
    read: (query, { caller }) => groups.list({ ...query, domainId: onlyDomainOf(caller) }),
    details: async (listed) =>
      new Map([...(await groups.memberCounts(listed))].map(([id, count]) => [id, { member_count: count }])),
    count: (query, { caller }) => groups.count({ ...query, domainId: onlyDomainOf(caller) }),
  });
  resource.create({
    target: (request) => inDomain(domainInBody(request, "group")),
    body: NewGroup,
    create: (draft, { caller }) =>
      groups.create({ ...draft, domain_id: draft.domain_id ?? domainForNew(caller) }),
  });
  resource.show({ target, read: groups.getGroup });
  resource.update({ target, body: GroupChange, update: (id, change) => groups.update(id, change) });
  resource.delete({
    // As in Keystone, callers without permission get 404 too if the group does not exist.
    target: async (request) => ({ group: await groups.getGroup(groupIdIn(request)) }),
    delete: (id) => groups.delete(id),
  });
}

function groupIdIn({ params }: Pick<FastifyRequest, "params">): string {
  return (params as { readonly group_id: string }).group_id;
}

function inDomain(domainId: string | undefined): PolicyTarget {
  return domainId === undefined ? {} : { group: { domainId } };
}

/** A group in responses. */
export function groupView(group: ShownGroup, links: Links) {
  const { description, ...fields } = groupFields.view(group as Group);
  return {
    ...group.extra,
    ...fields,
    ...(description !== undefined && { description }),
    links: { self: links.self("/v3/groups", group.id) },
  };
}
