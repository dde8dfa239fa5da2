/** `/v3/limits/effective`, an extension of this service: the effective limits of a project or domain. */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import { readFilters } from "../platform/http/lists/list-filters.js";
import { sendPages } from "../platform/http/lists/long-list.js";
import { readPage, type Page } from "../platform/http/lists/paging.js";
import type { ResourceDeps } from "../platform/http/resource.js";
import type { PolicyTarget } from "../policy/credentials.js";
import type { EffectiveLimitService, ResourceLimit } from "./effective-limit-service.js";
import type { LimitResponses } from "./limit-responses.js";
import { LimitOwnerNotFoundError } from "./limit-errors.js";
import { readRegionPresence } from "./limit-parts.js";
import { targetOf } from "./limit-routes.js";
import { EffectiveLimitFilters, EffectiveLimitList, type EffectiveLimitView } from "./limit-schema.js";
import { RESOURCE_FILTERS } from "./registered-limit-store.js";

export interface EffectiveLimitRoutesDeps extends ResourceDeps {
  readonly effectiveLimits: EffectiveLimitService;
  readonly limitResponses: LimitResponses;
}

export function addEffectiveLimitRoutes(
  server: HttpServer,
  { effectiveLimits, limitResponses, links, listLimit }: EffectiveLimitRoutesDeps,
): void {
  async function target({ query }: FastifyRequest): Promise<PolicyTarget> {
    const { project_id: id } = query as { readonly project_id?: string };
    const place = id === undefined ? undefined : await effectiveLimits.findPlace(id);
    return place === undefined ? {} : targetOf(place);
  }

  server.get(
    "/v3/limits/effective",
    {
      // The same permission as for a limit of the project.
      config: { access: { action: "identity:get_limit", target } },
      schema: {
        tags: ["limits"],
        summary: "Lists the effective limit of each resource of a project or domain, and its source",
        querystring: EffectiveLimitFilters,
        response: { 200: EffectiveLimitList },
      },
    },
    async ({ query, url }, reply) => {
      const place = await effectiveLimits.findPlace(query.project_id);
      if (place === undefined) throw new LimitOwnerNotFoundError(query.project_id);
      const page = readPage(query, { listLimit });
      const readPart = async (part: Page) => {
        const filters = readFilters(query, RESOURCE_FILTERS);
        const hasRegion = readRegionPresence(query);
        const found = await effectiveLimits.list(place, { filters, hasRegion, page: part });
        // Pages are ordered by the ids of registered limits, which the view shows under another name.
        return found.map((limit) => ({ id: limit.registered.id, toJSON: () => viewOf(limit) }));
      };
      const cached = (make: () => Promise<object | undefined>) => limitResponses.get(url, make);
      return sendPages(reply, "effective_limits", readPart, { page, links, url, cached }) as never;
    },
  );
}

function viewOf({ registered, limit, source, limitId }: ResourceLimit): EffectiveLimitView {
  return {
    service_id: registered.serviceId,
    region_id: registered.regionId,
    resource_name: registered.resourceName,
    registered_limit_id: registered.id,
    resource_limit: limit,
    source,
    limit_id: limitId,
  };
}
