/** The area of directories: the users and groups of domains whose configuration names one (`identity.driver`). */
import type { AreaWithServices, Platform } from "../area.js";
import { createDirectoryMetrics } from "./directory-metrics.js";
import { addDirectoryRoutes, type DirectoryRoutesDeps } from "./directory-routes.js";
import { createDirectoryService, type DirectoryServiceDeps } from "./directory-service.js";
import { createDomainDrivers, type DomainDriversDeps } from "./domain-drivers.js";
import { createLdapDirectory, type LdapConnectionSettings } from "./ldap/ldap-directory.js";

export interface DirectoriesUses {
  readonly domainConfigs: DomainDriversDeps["domainConfigs"] &
    DirectoryServiceDeps["domainConfigs"] &
    DirectoryRoutesDeps["domainConfigs"];
}

export function createDirectoriesArea(platform: Platform, uses: DirectoriesUses) {
  const metrics = createDirectoryMetrics();
  const openDirectory = (settings: LdapConnectionSettings) => metrics.measured(createLdapDirectory(settings));
  const drivers = createDomainDrivers({ ...platform, ...uses, openDirectory });
  const recheckMs = platform.config.directory.recheckSeconds * 1000;
  return {
    addRoutes: (server) => addDirectoryRoutes(server, uses),
    directories: createDirectoryService({ ...platform, ...uses, drivers, recheckMs }),
    closeDirectories: () => drivers.close(),
    start({ registry }) {
      metrics.register(registry, drivers.uses);
      return () => drivers.close();
    },
  } satisfies AreaWithServices;
}
