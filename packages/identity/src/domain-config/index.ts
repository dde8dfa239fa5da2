/** The area of the configuration of domains. */
import type { AreaWithServices, Platform } from "../area.js";
import { defaultDirectoryOf } from "./default-directory.js";
import { addDomainConfigRoutes } from "./domain-config-routes.js";
import { createDomainConfigService } from "./domain-config-service.js";

export function createDomainConfigArea(platform: Platform) {
  const { config } = platform;
  const domainConfigs = createDomainConfigService({
    ...platform,
    usesDrivers: config.directory.hasDomainDrivers,
    defaultDirectory: defaultDirectoryOf(config.defaultDirectory),
  });
  const passwordSettings = {
    password_regex: config.password.regex ?? null,
    password_regex_description: config.password.regexDescription ?? null,
  };
  return {
    domainConfigs,
    addRoutes: (server) => addDomainConfigRoutes(server, { domainConfigs, passwordSettings }),
  } satisfies AreaWithServices;
}
