/** The area of SCIM: identity providers push their users and groups (RFC 7643, RFC 7644). */
import type { AreaWithServices, Platform } from "../area.js";
import { FEDERATION_PLACES } from "../federation/federation-routes.js";
import type { IdentityProviderService } from "../identity-providers/identity-provider-service.js";
import type { LoginThrottle } from "../platform/login-throttling/login-throttle.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { createScimGroupService } from "./groups/scim-group-service.js";
import { addScimRoutes } from "./http/scim-routes.js";
import { addScimSecretRoutes } from "./secrets/scim-secret-routes.js";
import { createScimSecretService } from "./secrets/scim-secret-service.js";
import { createScimUserService } from "./users/scim-user-service.js";

export interface ScimUses {
  readonly identityProviders: Pick<IdentityProviderService, "get">;
  readonly revokeTokens: RevokeTokens;
  readonly directories: {
    /** @throws {ForbiddenError} Users and groups of the domain are in a directory. */
    requireWritable(domainId: string): Promise<void>;
  };
  readonly throttle: LoginThrottle | undefined;
}

export function createScimArea(platform: Platform, { directories, ...uses }: ScimUses) {
  const { deletions, config } = platform;
  const requireWritable = (domainId: string) => directories.requireWritable(domainId);
  const deps = {
    ...platform,
    ...uses,
    requireWritable,
    onUserDeleted: deletions.of("user"),
    onGroupDeleted: deletions.of("group"),
  };
  const users = createScimUserService(deps);
  const groups = createScimGroupService(deps);
  const secrets = createScimSecretService({ ...platform, secretDays: config.scim.secretDays });
  deletions.on("identity-provider", async (transaction, id) => {
    await groups.deleteOf(transaction, id);
    await users.deleteOf(transaction, id);
  });
  return {
    addRoutes(server) {
      for (const place of FEDERATION_PLACES) addScimSecretRoutes(server, place, { ...platform, secrets });
      addScimRoutes(server, { ...deps, users, groups, secrets });
    },
  } satisfies AreaWithServices;
}
