/** The area of users' credentials: secrets of one-time codes, EC2 keys, and others that services of the cloud read. */
import type { AreaWithServices, Platform } from "../area.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import type { ProjectService } from "../projects/project-service.js";
import type { UserService } from "../users/user-service.js";
import { addCredentialRoutes } from "./credential-routes.js";
import { createCredentialService } from "./credential-service.js";
import { addEc2KeyRoutes } from "./ec2-key-routes.js";
import { createEc2KeyService } from "./ec2-key-service.js";

export interface CredentialsUses {
  readonly users: UserService;
  readonly projects: ProjectService;
  readonly revokeTokens: RevokeTokens;
}

export function createCredentialsArea(platform: Platform, uses: CredentialsUses) {
  const credentials = createCredentialService({
    ...platform,
    ...uses,
    maxPerUser: platform.config.credential.maxCredentials,
  });
  const ec2Keys = createEc2KeyService({ ...platform, credentials });
  return {
    credentials,
    ec2Keys,
    addRoutes(server) {
      addCredentialRoutes(server, { ...platform, ...uses, credentials });
      addEc2KeyRoutes(server, { ...platform, ...uses, ec2Keys });
    },
  } satisfies AreaWithServices;
}
