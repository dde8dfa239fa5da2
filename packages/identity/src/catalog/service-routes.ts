/** `/v3/services` */
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { PAGE_PARAMETERS, pathOf, queryOf } from "../platform/http/validation/schema-parts.js";
import { NewService, ServiceAnswer, ServiceChange, ServiceList } from "./service-schema.js";
import type { ServiceService } from "./service-service.js";
import { SERVICE_FILTERS, type Service } from "./service-store.js";

export interface ServiceRoutesDeps {
  readonly services: ServiceService;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addServiceRoutes(
  server: HttpServer,
  { services, links, listLimit }: ServiceRoutesDeps,
): void {
  const tags = ["services"];
  const params = pathOf("service_id");
  const show = (service: Service) => ({ service: viewOf(service, links) });

  server.get(
    "/v3/services",
    {
      config: { access: "identity:list_services", home: [{ relation: coreRelation("services") }] },
      schema: {
        tags,
        summary: "Lists services",
        querystring: queryOf(...SERVICE_FILTERS, ...PAGE_PARAMETERS),
        response: { 200: ServiceList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const found = await services.list({ filters: readFilters(query, SERVICE_FILTERS), page: part });
        return found.map((service) => viewOf(service, links));
      };
      return sendPages(reply, "services", readPart, { page, links, url });
    },
  );

  server.post(
    "/v3/services",
    {
      config: { access: "identity:create_service" },
      schema: { tags, summary: "Creates a service", body: NewService, response: { 201: ServiceAnswer } },
    },
    async ({ body }, reply) => reply.code(201).send(show(await services.create(body.service))),
  );

  server.get(
    "/v3/services/:service_id",
    {
      config: { access: "identity:get_service", home: [{ relation: coreRelation("service") }] },
      schema: { tags, summary: "Shows a service", params, response: { 200: ServiceAnswer } },
    },
    async ({ params: { service_id: id } }) => show(await services.get(id)),
  );

  server.patch(
    "/v3/services/:service_id",
    {
      config: { access: "identity:update_service" },
      schema: {
        tags,
        summary: "Changes a service",
        params,
        body: ServiceChange,
        response: { 200: ServiceAnswer },
      },
    },
    async ({ params: { service_id: id }, body }) => show(await services.update(id, body.service)),
  );

  server.delete(
    "/v3/services/:service_id",
    {
      config: { access: "identity:delete_service" },
      schema: { tags, summary: "Deletes a service and its endpoints", params },
    },
    async ({ params: { service_id: id } }, reply) => {
      await services.delete(id);
      return reply.code(204).send();
    },
  );
}

function viewOf({ extra, ...service }: Service, links: Links) {
  return { ...extra, ...service, links: { self: links.self("/v3/services", service.id) } };
}
