/** `/v3/groups` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import type { PolicyTarget } from "../policy/credentials.js";
import { domainForNew, domainInBody, onlyDomainOf } from "../policy/own-domain.js";
import { GroupChange, GroupListQuery, GroupView, NewGroup } from "./group-schema.js";
import type { GroupService } from "./group-service.js";
import { GROUP_FILTERS, type Group } from "./group-store.js";

export interface GroupRoutesDeps extends ResourceDeps {
  readonly groups: GroupService;
}

export function addGroupRoutes(server: HttpServer, { groups, ...deps }: GroupRoutesDeps): void {
  const target = async ({ params }: FastifyRequest): Promise<PolicyTarget> => {
    const { group_id: id } = params as { readonly group_id: string };
    const group = await groups.findGroup({ id });
    return group === undefined ? {} : { group };
  };
  const resource = createResource(server, deps, {
    path: "/v3/groups",
    id: "group_id",
    name: "group",
    schema: GroupView,
    view: (group: Group) => groupView(group, deps.links),
  });
  resource.list({
    target: ({ caller }) => inDomain(onlyDomainOf(caller)),
    query: GroupListQuery,
    filters: GROUP_FILTERS,
    read: (query, { caller }) => groups.list({ ...query, domainId: onlyDomainOf(caller) }),
  });
  resource.create({
    target: (request) => inDomain(domainInBody(request, "group")),
    body: NewGroup,
    create: (draft, { caller }) =>
      groups.create({ ...draft, domain_id: draft.domain_id ?? domainForNew(caller) }),
  });
  resource.show({ target, read: groups.getGroup });
  resource.update({ target, body: GroupChange, update: groups.update });
  resource.delete({ target, delete: groups.delete });
}

function inDomain(domainId: string | undefined): PolicyTarget {
  return domainId === undefined ? {} : { group: { domainId } };
}

/** A group in responses. */
export function groupView({ id, name, domainId, description, extra }: Group, links: Links) {
  return {
    ...extra,
    id,
    name,
    domain_id: domainId,
    description,
    links: { self: links.self("/v3/groups", id) },
  };
}
