/** `/v3/limits/effective`, an extension of this service: the effective limits of a project or domain. */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import { listHandler, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
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
  { effectiveLimits, limitResponses, ...deps }: EffectiveLimitRoutesDeps,
): void {
  async function target({ query }: FastifyRequest): Promise<PolicyTarget> {
    const { project_id: id } = query as { readonly project_id?: string };
    const place = id === undefined ? undefined : await effectiveLimits.findPlace(id);
    return place === undefined ? {} : targetOf(place);
  }

  createRoutes(server, "limits")("GET", "/v3/limits/effective", {
    // The same permission as for a limit of the project.
    access: { action: "identity:get_limit", target },
    summary: "Lists the effective limit of each resource of a project or domain, and its source",
    query: EffectiveLimitFilters,
    response: EffectiveLimitList,
    handle: listHandler(deps, "effective_limits", {
      filters: RESOURCE_FILTERS,
      cached: ({ url }, make) => limitResponses.get(url, make),
      async open({ query: parameters }) {
        const place = await effectiveLimits.findPlace(parameters.project_id);
        if (place === undefined) throw new LimitOwnerNotFoundError(parameters.project_id);
        const hasRegion = readRegionPresence(parameters);
        return async (query) => {
          const found = await effectiveLimits.list(place, { ...query, hasRegion });
          return found.map(inOrder);
        };
      },
    }),
  });
}

/** Pages are ordered by the ids of registered limits, which the view shows under another name. */
function inOrder(limit: ResourceLimit): EffectiveLimitView & { readonly id: string } {
  return { id: limit.registered.id, toJSON: () => viewOf(limit) } as never;
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
