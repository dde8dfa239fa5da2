/** `/v3/registered_limits` */
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import {
  readRegionPresence,
  NewRegisteredLimits,
  RegisteredLimitChange,
  RegisteredLimitFilters,
  registeredLimitFields,
  RegisteredLimitView,
  RESOURCE_FILTERS,
  type RegisteredLimit,
} from "./registered-limit.js";
import type { LimitResponses } from "./limit-responses.js";
import type { RegisteredLimitService } from "./registered-limit-service.js";

export function addRegisteredLimitRoutes(
  server: HttpServer,
  {
    registeredLimits,
    limitResponses,
    ...deps
  }: ResourceDeps & {
    readonly registeredLimits: RegisteredLimitService;
    readonly limitResponses: LimitResponses;
  },
): void {
  const resource = createResource(server, deps, {
    path: "/v3/registered_limits",
    id: "registered_limit_id",
    name: "registered_limit",
    homeStatus: "experimental",
    tag: "limits",
    schema: RegisteredLimitView,
    view: (limit: RegisteredLimit) => ({
      ...registeredLimitFields.view(limit),
      links: { self: deps.links.self("/v3/registered_limits", limit.id) },
    }),
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
