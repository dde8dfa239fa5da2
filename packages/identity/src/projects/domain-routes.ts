/** `/v3/domains` */
import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import { readBoolean } from "../platform/http/validation/boolean-parameter.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/credentials.js";
import type { DomainService } from "./domain-service.js";
import type { Domain } from "./project.js";
import { DomainAnswer, DomainChange, DomainList, DomainListQuery, NewDomain } from "./project-schema.js";
import { listTarget, scopeDomain } from "./project-targets.js";
import { domainView } from "./project-view.js";

export interface DomainRoutesDeps {
  readonly domains: DomainService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addDomainRoutes(server: HttpServer, { domains, links, listLimit }: DomainRoutesDeps): void {
  const tags = ["domains"];
  const params = pathOf("domain_id");
  const show = (domain: Domain) => ({ domain: domainView(domain, links) });

  server.get(
    "/v3/domains",
    {
      config: {
        access: { action: "identity:list_domains", target: listTarget },
        home: [{ relation: coreRelation("domains") }],
      },
      schema: { tags, summary: "Lists domains", querystring: DomainListQuery, response: { 200: DomainList } },
    },
    async ({ query, url, caller }, reply) => {
      const page = readPage(query, { listLimit });
      const own = scopeDomain(caller);
      const readPart = async (part: Page) => {
        const found = await domains.list({
          filters: readFilters(query, ["name"]),
          enabled: readBoolean(query.enabled),
          ...(own === undefined ? {} : { ids: [own] }),
          page: part,
        });
        return found.map((domain) => domainView(domain, links));
      };
      return sendPages(reply, "domains", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/domains",
    {
      config: { access: "identity:create_domain" },
      schema: { tags, summary: "Creates a domain", body: NewDomain, response: { 201: DomainAnswer } },
    },
    async ({ body }, reply) => reply.code(201).send(show(await domains.create(body.domain))),
  );

  server.get(
    "/v3/domains/:domain_id",
    {
      config: {
        access: { action: "identity:get_domain", target: domainTarget },
        home: [{ relation: coreRelation("domain") }],
      },
      schema: { tags, summary: "Shows a domain", params, response: { 200: DomainAnswer } },
    },
    async ({ params: { domain_id: id } }) => show(await domains.get(id)),
  );

  server.patch(
    "/v3/domains/:domain_id",
    {
      config: { access: "identity:update_domain" },
      schema: {
        tags,
        summary: "Changes a domain",
        params,
        body: DomainChange,
        response: { 200: DomainAnswer },
      },
    },
    async ({ params: { domain_id: id }, body }) => show(await domains.update(id, body.domain)),
  );

  server.delete(
    "/v3/domains/:domain_id",
    {
      config: { access: "identity:delete_domain" },
      schema: { tags, summary: "Deletes a domain that is disabled, and everything in it", params },
    },
    async ({ params: { domain_id: id } }, reply) => {
      await domains.delete(id);
      return reply.code(204).send();
    },
  );
}

/** Whoever has a token for a domain, or within it, has it because the domain is there. */
function domainTarget({ params }: FastifyRequest): PolicyTarget {
  const { domain_id: id } = params as { readonly domain_id: string };
  return { domain: { id } };
}
