/** `/v3/domains` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { readBoolean } from "../platform/http/query.js";
import { onlyDomainOf, ownDomainTarget, type PolicyTarget } from "../policy/caller.js";
import type { DomainService } from "./domain-service.js";
import { domainView, type Domain } from "./project.js";
import { DomainChange, DomainListQuery, DomainView, NewDomain } from "./project-schema.js";

export function addDomainRoutes(
  server: HttpServer,
  { domains, ...deps }: ResourceDeps & { readonly domains: DomainService },
): void {
  const resource = createResource(server, deps, {
    path: "/v3/domains",
    id: "domain_id",
    name: "domain",
    schema: DomainView,
    view: (domain: Domain) => domainView(domain, deps.links),
  });
  resource.list({
    target: ownDomainTarget,
    query: DomainListQuery,
    filters: ["name"],
    read(query, { query: { enabled }, caller }) {
      const id = onlyDomainOf(caller);
      return domains.list({
        ...query,
        enabled: readBoolean(enabled),
        ...(id !== undefined && { ids: [id] }),
      });
    },
  });
  resource.create({ body: NewDomain, create: domains.create });
  resource.show({ target: domainTarget, read: domains.get });
  // As in Keystone, callers without permission get 404 too if the domain does not exist.
  const target = async (request: FastifyRequest) => ({ domain: await domains.get(domainIdIn(request)) });
  resource.update({ target, body: DomainChange, update: domains.update });
  resource.delete({
    summary: "Deletes a domain that is disabled, and everything in it",
    target,
    delete: domains.delete,
  });
}

/** Not looked up: the domain of a valid token exists. */
function domainTarget(request: FastifyRequest): PolicyTarget {
  return { domain: { id: domainIdIn(request) } };
}

function domainIdIn({ params }: FastifyRequest): string {
  return (params as { readonly domain_id: string }).domain_id;
}
