/** `/v3/limits` */
import type { FastifyRequest } from "fastify";

import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages, wholeList } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import { pathOf } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/credentials.js";
import type { Enforcement } from "./tree/enforcement.js";
import { sendAnswer, type LimitAnswers } from "./limit-answers.js";
import { readRegionPresence } from "./limit-parts.js";
import type { LimitPlace } from "./limit-references.js";
import {
  LimitAnswer,
  LimitChange,
  LimitFilters,
  LimitList,
  LimitModel,
  LimitsAnswer,
  NewLimits,
  type LimitView,
} from "./limit-schema.js";
import { visibleTo, type LimitService } from "./limit-service.js";
import { LIMIT_FILTERS, type Limit } from "./limit-store.js";

export interface LimitRoutesDeps {
  readonly limits: LimitService;
  readonly enforcement: Enforcement;
  readonly limitAnswers: LimitAnswers;
  readonly links: Links;
  readonly listLimit: number | undefined;
}

export function addLimitRoutes(
  server: HttpServer,
  { limits, enforcement, limitAnswers, links, listLimit }: LimitRoutesDeps,
): void {
  const tags = ["limits"];
  const params = pathOf("limit_id");
  const status = "experimental";
  const show = (limit: Limit) => ({ limit: viewOf(limit, links) });

  async function target({ params: path }: FastifyRequest): Promise<PolicyTarget> {
    const limit = await limits.find((path as { readonly limit_id: string }).limit_id);
    return limit === undefined ? {} : targetOf(limit);
  }

  server.get(
    "/v3/limits",
    {
      config: { access: "identity:list_limits", home: [{ relation: coreRelation("limits"), status }] },
      schema: {
        tags,
        summary: "Lists the limits that the token is good for",
        querystring: LimitFilters,
        response: { 200: LimitList },
      },
    },
    async ({ query, url, caller }, reply) => {
      const view = visibleTo(caller);
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const filters = readFilters(query, LIMIT_FILTERS);
        const hasRegion = readRegionPresence(query);
        const found = view === undefined ? [] : await limits.list({ filters, hasRegion, view, page: part });
        return found.map((limit) => viewOf(limit, links));
      };
      const answer = await limitAnswers.get(JSON.stringify([view, url]), () =>
        wholeList("limits", readPart, { page, links, url }),
      );
      return answer === undefined
        ? sendPages(reply, "limits", readPart, { page, links, url })
        : sendAnswer(reply, answer);
    },
  );

  server.post(
    "/v3/limits",
    {
      config: { access: "identity:create_limits" },
      schema: {
        tags,
        summary: "Creates limits of projects and domains, all or none",
        body: NewLimits,
        response: { 201: LimitsAnswer },
      },
    },
    async ({ body }, reply) => {
      const made = await limits.create(body.limits);
      return reply.code(201).send({ limits: made.map((limit) => viewOf(limit, links)) });
    },
  );

  server.get(
    "/v3/limits/model",
    {
      config: {
        access: "identity:get_limit_model",
        home: [{ relation: coreRelation("limit_model"), status }],
      },
      schema: { tags, summary: "Shows how limits are enforced", response: { 200: LimitModel } },
    },
    async () => ({ model: { name: enforcement.name, description: enforcement.description } }),
  );

  server.get(
    "/v3/limits/:limit_id",
    {
      config: {
        access: { action: "identity:get_limit", target },
        home: [{ relation: coreRelation("limit"), status }],
      },
      schema: { tags, summary: "Shows a limit", params, response: { 200: LimitAnswer } },
    },
    async ({ params: { limit_id: id } }) => show(await limits.get(id)),
  );

  server.patch(
    "/v3/limits/:limit_id",
    {
      config: { access: "identity:update_limit" },
      schema: { tags, summary: "Changes a limit", params, body: LimitChange, response: { 200: LimitAnswer } },
    },
    async ({ params: { limit_id: id }, body }) => show(await limits.update(id, body.limit)),
  );

  server.delete(
    "/v3/limits/:limit_id",
    {
      config: { access: "identity:delete_limit" },
      schema: { tags, summary: "Deletes a limit: the registered default holds again", params },
    },
    async ({ params: { limit_id: id } }, reply) => {
      await limits.delete(id);
      return reply.code(204).send();
    },
  );
}

/** What a limit is asked about by. */
export function targetOf({ projectId, domainId }: LimitPlace): PolicyTarget {
  return projectId === null ? { domain: { id: domainId } } : { project: { id: projectId, domainId } };
}

function viewOf(limit: Limit, links: Links): LimitView {
  return {
    id: limit.id,
    project_id: limit.projectId,
    domain_id: limit.projectId === null ? limit.domainId : null,
    resource_limit: limit.resourceLimit,
    description: limit.description,
    service_id: limit.serviceId,
    region_id: limit.regionId,
    resource_name: limit.resourceName,
    links: { self: links.self("/v3/limits", limit.id) },
  };
}
