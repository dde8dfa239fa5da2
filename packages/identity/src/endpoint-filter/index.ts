/** The area of the endpoints, and groups of endpoints, that projects are restricted to. */
import type { AreaWithServices, Platform } from "../area.js";
import type { ProjectService } from "../projects/project-service.js";
import { addEndpointFilterRoutes } from "./endpoint-filter-routes.js";
import { createEndpointFilterService } from "./endpoint-filter-service.js";
import { addEndpointGroupRoutes, createEndpointGroupService } from "./endpoint-groups.js";

export function createEndpointFilterArea(platform: Platform, uses: { readonly projects: ProjectService }) {
  const endpointGroups = createEndpointGroupService(platform);
  const endpointFilters = createEndpointFilterService({ ...platform, ...uses });
  return {
    endpointGroups,
    endpointFilters,
    addRoutes(server) {
      addEndpointGroupRoutes(server, { ...platform, endpointGroups });
      addEndpointFilterRoutes(server, { ...platform, endpointFilters });
    },
  } satisfies AreaWithServices;
}
