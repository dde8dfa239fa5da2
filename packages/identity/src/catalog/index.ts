/** The catalog's area: regions, services, endpoints, and what a token shows of them. */
import type { AreaWithServices, Platform } from "../area.js";
import { createCatalog, type CatalogFilter } from "./catalog.js";
import { addEndpointRoutes } from "./endpoint-routes.js";
import { createEndpointService } from "./endpoint-service.js";
import { addRegionRoutes } from "./regions/region-routes.js";
import { createRegionService } from "./regions/region-service.js";
import { addServiceRoutes } from "./service-routes.js";
import { createServiceService } from "./service-service.js";

/** @param uses.filter Restricts the endpoints that projects see. */
export function createCatalogArea(platform: Platform, uses: { readonly filter: CatalogFilter }) {
  const services = {
    regions: createRegionService(platform),
    services: createServiceService(platform),
    endpoints: createEndpointService(platform),
    catalog: createCatalog({ ...platform, ...uses }),
  };
  return {
    ...services,
    addRoutes(server) {
      const deps = { ...platform, ...services };
      addRegionRoutes(server, deps);
      addServiceRoutes(server, deps);
      addEndpointRoutes(server, deps);
    },
  } satisfies AreaWithServices;
}
