/** The area of directories: the users and groups of domains whose configuration names one (`identity.driver`). */
import type { AreaWithServices, Platform } from "../area.js";
import { addDirectoryRoutes, type DirectoryRoutesDeps } from "./directory-routes.js";
import { createDirectoryService, type DirectoryServiceDeps } from "./directory-service.js";
import { createDomainDrivers, type DomainDriversDeps } from "./domain-drivers.js";

export interface DirectoriesUses {
  readonly domainConfigs: DomainDriversDeps["domainConfigs"] &
    DirectoryServiceDeps["domainConfigs"] &
    DirectoryRoutesDeps["domainConfigs"];
}

export function createDirectoriesArea(platform: Platform, uses: DirectoriesUses) {
  const drivers = createDomainDrivers({ ...platform, ...uses });
  const recheckMs = platform.config.directory.recheckSeconds * 1000;
  return {
    addRoutes: (server) => addDirectoryRoutes(server, uses),
    directories: createDirectoryService({ ...platform, ...uses, drivers, recheckMs }),
    start: () => () => drivers.close(),
  } satisfies AreaWithServices;
}
