/** `/v3/limits` */
import { coreRelation } from "../platform/discovery/json-home.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes } from "../platform/http/route.js";
import type { PolicyTarget } from "../policy/caller.js";
import type { Enforcement } from "./tree/enforcement.js";
import { readRegionPresence } from "./registered-limit.js";
import type { LimitPlace } from "./limit-references.js";
import type { LimitResponses } from "./limit-responses.js";
import {
  LimitChange,
  limitFields,
  LimitFilters,
  LimitModel,
  LimitView,
  NewLimits,
  LIMIT_FILTERS,
  type Limit,
} from "./limit.js";
import { visibleTo, type LimitService } from "./limit-service.js";

export interface LimitRoutesDeps extends ResourceDeps {
  readonly limits: LimitService;
  readonly enforcement: Enforcement;
  readonly limitResponses: LimitResponses;
}

export function addLimitRoutes(
  server: HttpServer,
  { limits, enforcement, limitResponses, ...deps }: LimitRoutesDeps,
): void {
  const status = "experimental";
  const resource = createResource(server, deps, {
    path: "/v3/limits",
    id: "limit_id",
    name: "limit",
    homeStatus: status,
    schema: LimitView,
    view: (limit: Limit) => ({
      ...limitFields.view(limit),
      domain_id: limit.projectId === null ? limit.domainId : null,
      links: { self: deps.links.self("/v3/limits", limit.id) },
    }),
  });
  resource.list({
    summary: "Lists the limits that the token is good for",
    query: LimitFilters,
    filters: LIMIT_FILTERS,
    cached: ({ caller, url }, make) => limitResponses.get(JSON.stringify([visibleTo(caller), url]), make),
    async read(query, request) {
      const visibility = visibleTo(request.caller);
      if (visibility === undefined) return [];
      return limits.list({ ...query, hasRegion: readRegionPresence(request.query), visibility });
    },
  });

  resource.createAll({
    summary: "Creates limits of projects and domains, all or none",
    body: NewLimits,
    create: limits.create,
  });
  createRoutes(server, "limits")("GET", "/v3/limits/model", {
    access: "identity:get_limit_model",
    home: [{ relation: coreRelation("limit_model"), status }],
    summary: "Shows how limits are enforced",
    response: LimitModel,
    handle: () => ({ model: { name: enforcement.name, description: enforcement.description } }),
  });
  resource.show({
    async target({ params }) {
      const limit = await limits.find((params as { readonly limit_id: string }).limit_id);
      return limit === undefined ? {} : targetOf(limit);
    },
    read: limits.get,
  });
  resource.update({ body: LimitChange, update: limits.update });
  resource.delete({
    summary: "Deletes a limit, so that the registered default applies again",
    delete: limits.delete,
  });
}

/** The policy target of limits of a project or domain. */
export function targetOf({ projectId, domainId }: LimitPlace): PolicyTarget {
  return projectId === null ? { domain: { id: domainId } } : { project: { id: projectId, domainId } };
}
