/** The area of application credentials and their access rules. */
import type { AreaWithServices, Platform } from "../area.js";
import { createAccessRuleService } from "./access-rule-service.js";
import { addApplicationCredentialRoutes } from "./application-credential-routes.js";
import {
  createApplicationCredentialService,
  type ApplicationCredentialServiceDeps,
} from "./application-credential-service.js";

export function createApplicationCredentialsArea(
  platform: Platform,
  uses: Pick<ApplicationCredentialServiceDeps, "hasher" | "roles">,
) {
  const { config, deletions } = platform;
  const applicationCredentials = createApplicationCredentialService({
    ...platform,
    ...uses,
    maxPerUser: config.credential.maxApplicationCredentials,
  });
  const accessRules = createAccessRuleService(platform);
  deletions.on("role", applicationCredentials.deleteWithRole);
  return {
    applicationCredentials,
    addRoutes: (server) =>
      addApplicationCredentialRoutes(server, { ...platform, applicationCredentials, accessRules }),
  } satisfies AreaWithServices;
}
