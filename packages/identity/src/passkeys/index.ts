/** The area of passkeys: users' credentials of WebAuthn. The method `webauthn` logs in with them. */
import type { AreaWithServices, Platform } from "../area.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import type { UserService } from "../users/user-service.js";
import { createChallenges, type UseOnce } from "./challenges.js";
import { relyingPartyOf } from "./passkey-options.js";
import { addPasskeyRoutes } from "./passkey-routes.js";
import { createPasskeyService } from "./passkey-service.js";

export interface PasskeysUses {
  readonly users: UserService;
  readonly revokeTokens: RevokeTokens;
  readonly useOnce: UseOnce;
}

export function createPasskeysArea(platform: Platform, { useOnce, ...uses }: PasskeysUses) {
  const { config, links } = platform;
  const passkeys = createPasskeyService({
    ...platform,
    ...uses,
    rp: relyingPartyOf(config.passkey, links.publicUrl),
    challenges: createChallenges({ ...platform, useOnce }),
  });
  return {
    passkeys,
    addRoutes: (server) => addPasskeyRoutes(server, { ...platform, ...uses, passkeys }),
  } satisfies AreaWithServices;
}
