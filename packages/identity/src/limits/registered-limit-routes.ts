/** `/v3/registered_limits` */
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { readRegionPresence } from "./limit-parts.js";
import type { LimitResponses } from "./limit-responses.js";
import {
  NewRegisteredLimits,
  RegisteredLimitChange,
  RegisteredLimitFilters,
  RegisteredLimitView,
} from "./registered-limit-schema.js";
import type { RegisteredLimitService } from "./registered-limit-service.js";
import { RESOURCE_FILTERS, type RegisteredLimit } from "./registered-limit-store.js";

export interface RegisteredLimitRoutesDeps extends ResourceDeps {
  readonly registeredLimits: RegisteredLimitService;
  readonly limitResponses: LimitResponses;
}

export function addRegisteredLimitRoutes(
  server: HttpServer,
  { registeredLimits, limitResponses, ...deps }: RegisteredLimitRoutesDeps,
): void {
  const view = (limit: RegisteredLimit): RegisteredLimitView => ({
    id: limit.id,
    service_id: limit.serviceId,
    region_id: limit.regionId,
    resource_name: limit.resourceName,
    default_limit: limit.defaultLimit,
    description: limit.description,
    links: { self: deps.links.self("/v3/registered_limits", limit.id) },
  });
  const resource = createResource(server, deps, {
    path: "/v3/registered_limits",
    id: "registered_limit_id",
    name: "registered_limit",
    homeStatus: "experimental",
    tag: "limits",
    schema: RegisteredLimitView,
    view,
  });
  resource.list({
    query: RegisteredLimitFilters,
    filters: RESOURCE_FILTERS,
    cached: ({ url }, make) => limitResponses.get(url, make),
    read: (query, request) =>
      registeredLimits.list({ ...query, hasRegion: readRegionPresence(request.query) }),
  });

  resource.createAll({
    summary: "Creates registered limits, all or none",
    body: NewRegisteredLimits,
    create: registeredLimits.create,
  });
  resource.show({ read: registeredLimits.get });
  resource.update({
    summary: "Changes a registered limit; service, region and resource name only while no limits rest on it",
    body: RegisteredLimitChange,
    update: registeredLimits.update,
  });
  resource.delete({
    summary: "Deletes a registered limit on which no limits rest",
    delete: registeredLimits.delete,
  });
}
