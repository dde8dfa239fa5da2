/** `/v3/endpoints` */
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import {
  EndpointAnswer,
  EndpointChange,
  EndpointFilters,
  EndpointList,
  NewEndpoint,
} from "./endpoint-schema.js";
import type { EndpointService } from "./endpoint-service.js";
import { ENDPOINT_FILTERS, type Endpoint } from "./endpoint-store.js";

export interface EndpointRoutesDeps {
  readonly endpoints: EndpointService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addEndpointRoutes(
  server: HttpServer,
  { endpoints, links, listLimit }: EndpointRoutesDeps,
): void {
  const tags = ["endpoints"];
  const params = pathOf("endpoint_id");
  const show = (endpoint: Endpoint) => ({ endpoint: viewOf(endpoint, links) });

  server.get(
    "/v3/endpoints",
    {
      config: { access: "identity:list_endpoints", home: [{ relation: coreRelation("endpoints") }] },
      schema: {
        tags,
        summary: "Lists endpoints",
        querystring: EndpointFilters,
        response: { 200: EndpointList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const found = await endpoints.list({ filters: readFilters(query, ENDPOINT_FILTERS), page: part });
        return found.map((endpoint) => viewOf(endpoint, links));
      };
      return sendPages(reply, "endpoints", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/endpoints",
    {
      config: { access: "identity:create_endpoint" },
      schema: { tags, summary: "Creates an endpoint", body: NewEndpoint, response: { 201: EndpointAnswer } },
    },
    async ({ body }, reply) => reply.code(201).send(show(await endpoints.create(body.endpoint))),
  );

  server.get(
    "/v3/endpoints/:endpoint_id",
    {
      config: { access: "identity:get_endpoint", home: [{ relation: coreRelation("endpoint") }] },
      schema: { tags, summary: "Shows an endpoint", params, response: { 200: EndpointAnswer } },
    },
    async ({ params: { endpoint_id: id } }) => show(await endpoints.get(id)),
  );

  server.patch(
    "/v3/endpoints/:endpoint_id",
    {
      config: { access: "identity:update_endpoint" },
      schema: {
        tags,
        summary: "Changes an endpoint",
        params,
        body: EndpointChange,
        response: { 200: EndpointAnswer },
      },
    },
    async ({ params: { endpoint_id: id }, body }) => show(await endpoints.update(id, body.endpoint)),
  );

  server.delete(
    "/v3/endpoints/:endpoint_id",
    {
      config: { access: "identity:delete_endpoint" },
      schema: { tags, summary: "Deletes an endpoint", params },
    },
    async ({ params: { endpoint_id: id } }, reply) => {
      await endpoints.delete(id);
      return reply.code(204).send();
    },
  );
}

function viewOf({ id, serviceId, regionId, extra, ...endpoint }: Endpoint, links: Links) {
  return {
    ...extra,
    ...endpoint,
    id,
    service_id: serviceId,
    region_id: regionId,
    // What the region was called before it had an address of its own.
    region: regionId,
    links: { self: links.self("/v3/endpoints", id) },
  };
}
