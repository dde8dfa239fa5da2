/** The area of directories: the users and groups of domains whose configuration names one (`identity.driver`). */
import type { AreaWithServices, Platform } from "../area.js";
import { createDirectoryService } from "./directory-service.js";
import { createDomainDrivers, type DomainDriversDeps } from "./domain-drivers.js";

export function createDirectoriesArea(platform: Platform, uses: Pick<DomainDriversDeps, "domainConfigs">) {
  const drivers = createDomainDrivers({ ...platform, ...uses });
  const recheckMs = platform.config.directory.recheckSeconds * 1000;
  return {
    directories: createDirectoryService({ ...platform, drivers, recheckMs }),
    start: () => () => drivers.close(),
  } satisfies AreaWithServices;
}
