/** `/v3/registered_limits` */
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages, wholeList } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import { sendAnswer, type LimitAnswers } from "./limit-answers.js";
import { readRegionPresence } from "./limit-parts.js";
import {
  NewRegisteredLimits,
  RegisteredLimitAnswer,
  RegisteredLimitChange,
  RegisteredLimitFilters,
  RegisteredLimitList,
  RegisteredLimitsAnswer,
  type RegisteredLimitView,
} from "./registered-limit-schema.js";
import type { RegisteredLimitService } from "./registered-limit-service.js";
import { RESOURCE_FILTERS, type RegisteredLimit } from "./registered-limit-store.js";

export interface RegisteredLimitRoutesDeps {
  readonly registeredLimits: RegisteredLimitService;
  readonly limitAnswers: LimitAnswers;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addRegisteredLimitRoutes(
  server: HttpServer,
  { registeredLimits, limitAnswers, links, listLimit }: RegisteredLimitRoutesDeps,
): void {
  const tags = ["limits"];
  const params = pathOf("registered_limit_id");
  const status = "experimental";
  const show = (limit: RegisteredLimit) => ({ registered_limit: viewOf(limit, links) });

  server.get(
    "/v3/registered_limits",
    {
      config: {
        access: "identity:list_registered_limits",
        home: [{ relation: coreRelation("registered_limits"), status }],
      },
      schema: {
        tags,
        summary: "Lists registered limits",
        querystring: RegisteredLimitFilters,
        response: { 200: RegisteredLimitList },
      },
    },
    async ({ query, url }, reply) => {
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const filters = readFilters(query, RESOURCE_FILTERS);
        const hasRegion = readRegionPresence(query);
        const found = await registeredLimits.list({ filters, hasRegion, page: part });
        return found.map((limit) => viewOf(limit, links));
      };
      const answer = await limitAnswers.get(url, () =>
        wholeList("registered_limits", readPart, { page, links, url }),
      );
      return answer === undefined
        ? sendPages(reply, "registered_limits", readPart, { page, links, url })
        : sendAnswer(reply, answer);
    },
  );

  server.post(
    "/v3/registered_limits",
    {
      config: { access: "identity:create_registered_limits" },
      schema: {
        tags,
        summary: "Creates registered limits, all or none",
        body: NewRegisteredLimits,
        response: { 201: RegisteredLimitsAnswer },
      },
    },
    async ({ body }, reply) => {
      const made = await registeredLimits.create(body.registered_limits);
      return reply.code(201).send({ registered_limits: made.map((limit) => viewOf(limit, links)) });
    },
  );

  server.get(
    "/v3/registered_limits/:registered_limit_id",
    {
      config: {
        access: "identity:get_registered_limit",
        home: [{ relation: coreRelation("registered_limit"), status }],
      },
      schema: {
        tags,
        summary: "Shows a registered limit",
        params,
        response: { 200: RegisteredLimitAnswer },
      },
    },
    async ({ params: { registered_limit_id: id } }) => show(await registeredLimits.get(id)),
  );

  server.patch(
    "/v3/registered_limits/:registered_limit_id",
    {
      config: { access: "identity:update_registered_limit" },
      schema: {
        tags,
        summary: "Changes a registered limit; what it is of, only while no limits rest on it",
        params,
        body: RegisteredLimitChange,
        response: { 200: RegisteredLimitAnswer },
      },
    },
    async ({ params: { registered_limit_id: id }, body }) =>
      show(await registeredLimits.update(id, body.registered_limit)),
  );

  server.delete(
    "/v3/registered_limits/:registered_limit_id",
    {
      config: { access: "identity:delete_registered_limit" },
      schema: { tags, summary: "Deletes a registered limit on which no limits rest", params },
    },
    async ({ params: { registered_limit_id: id } }, reply) => {
      await registeredLimits.delete(id);
      return reply.code(204).send();
    },
  );
}

function viewOf(limit: RegisteredLimit, links: Links): RegisteredLimitView {
  return {
    id: limit.id,
    service_id: limit.serviceId,
    region_id: limit.regionId,
    resource_name: limit.resourceName,
    default_limit: limit.defaultLimit,
    description: limit.description,
    links: { self: links.self("/v3/registered_limits", limit.id) },
  };
}
