/** The areas of tokens: their keys and revocation, which other areas use, and the tokens themselves. */
import type { ApplicationCredentialService } from "../application-credentials/application-credential-service.js";
import type { AreaWithServices, Platform } from "../area.js";
import type { OAuth1Service } from "../oauth1/oauth1-service.js";
import { bearerOf, type TrustService } from "../trusts/trust-service.js";
import type { ShadowUsers } from "../users/federated/shadow-users.js";
import { findImportedKeys } from "./imported/imported-key-store.js";
import { createImportedTokens, deleteImportedKeysOnSchedule } from "./imported/imported-tokens.js";
import { addRevocationEventRoutes } from "./revocation-event-routes.js";
import { createRevocations } from "./revocations.js";
import { MAX_ACTIVE_KEYS, rotateOnSchedule } from "./signing-key-rotation.js";
import { createKeyRing, createSigningKeys } from "./signing-keys.js";
import { createTokenFacts, type TokenFactsDeps } from "./token-facts.js";
import { watchTokenKeys } from "./token-metrics.js";
import { createTokenService } from "./token-service.js";

export type TokenKeys = ReturnType<typeof createTokenKeysArea>;

export function createTokenKeysArea(platform: Platform) {
  const { config, clock } = platform;
  const signingKeys = createSigningKeys({ ...platform, maxActiveKeys: MAX_ACTIVE_KEYS });
  const retentionMs = (config.token.lifetimeSeconds + config.token.expiredWindowSeconds) * 1000;
  const revocations = createRevocations({ ...platform, retentionMs });
  return {
    /** How long a token can be validated. */
    retentionMs,
    signingKeys,
    revocations,
    addRoutes: (server) => addRevocationEventRoutes(server, { ...platform, revocations }),
    purgeTasks: [{ name: "revocation events", purge: () => revocations.purge() }],
    start({ log, registry }) {
      watchTokenKeys(registry, { signingKeys, revocations, clock });
      return rotateOnSchedule({ signingKeys, clock, log, everyDays: config.token.keyRotationDays });
    },
  } satisfies AreaWithServices;
}

export interface TokensUses extends Pick<
  TokenFactsDeps,
  "users" | "projects" | "roles" | "protocols" | "recheckAt"
> {
  readonly keys: TokenKeys;
  readonly shadowUsers: ShadowUsers;
  readonly applicationCredentials: ApplicationCredentialService;
  readonly trusts: TrustService;
  readonly oauth1: OAuth1Service;
}

export type Tokens = ReturnType<typeof createTokensArea>;

export function createTokensArea(platform: Platform, { keys, ...uses }: TokensUses) {
  const { config, database, clock } = platform;
  const { signingKeys, revocations } = keys;
  const { shadowUsers, applicationCredentials, trusts, oauth1 } = uses;
  const facts = createTokenFacts({
    ...platform,
    ...uses,
    revocations,
    membershipEnds: (userId) => shadowUsers.membershipEnds(userId),
    adminsReachAllSecrets: config.credential.allowsCrossDomain,
    delegations: {
      applicationCredentialId: (id, subject) => applicationCredentials.readDelegation(id, subject),
      trustId: (id, subject) => trusts.readDelegation(id, subject),
      accessToken: (accessToken, subject) => oauth1.readDelegation(accessToken, subject),
      certificateThumbprint: async (certificateThumbprint) => ({
        expiresAt: null,
        facts: { certificateThumbprint },
      }),
    },
  });
  const keyRing = createKeyRing({ keys: signingKeys, clock });
  const readImported = createImportedTokens({
    ...platform,
    trustUser: async (id) => {
      const trust = await trusts.find(id);
      return trust && bearerOf(trust);
    },
  });
  const tokens = createTokenService({
    keyRing,
    readImported,
    facts,
    revocations,
    database,
    clock,
    expiredWindowMs: config.token.expiredWindowSeconds * 1000,
  });
  return {
    keyRing,
    facts,
    tokens,
    purgeTasks: [
      {
        name: "ended memberships",
        // Imported tokens may live longer than those of this service.
        purge: async () =>
          (await findImportedKeys(database)) === undefined &&
          shadowUsers.purgeMemberships(revocations.maxAgeMs),
      },
    ],
    start: ({ log }) => deleteImportedKeysOnSchedule({ database, clock, log }),
  } satisfies AreaWithServices;
}
