/** The areas of logins: the passwords that other areas use too, and the authentication of users by all methods. */
import { availableParallelism } from "node:os";

import type { ApplicationCredentialService } from "../application-credentials/application-credential-service.js";
import type { AreaWithServices, Platform } from "../area.js";
import type { RoleServices } from "../assignments/index.js";
import type { Catalog } from "../catalog/catalog.js";
import type { CredentialService } from "../credentials/credential-service.js";
import type { Ec2KeyService } from "../credentials/ec2-key-service.js";
import type { DirectoryService } from "../directories/directory-service.js";
import type { DomainConfigService } from "../domain-config/domain-config-service.js";
import type { OAuth1Service } from "../oauth1/oauth1-service.js";
import type { OAuth1Verifier } from "../oauth1/oauth1-verification.js";
import type { PasskeyService } from "../passkeys/passkey-service.js";
import { createPasswordHasher } from "../passwords/password-hash.js";
import { readPasswordRules } from "../passwords/password-options.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createLoginThrottling } from "../platform/login-throttling/login-throttling.js";
import { readThrottlingLimits } from "../platform/login-throttling/throttling-options.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { DomainView, ProjectView } from "../projects/project-schema.js";
import type { ProjectService } from "../projects/project-service.js";
import { toDomain, domainView, projectView } from "../projects/project.js";
import type { ServiceProviderService } from "../service-providers/service-provider-service.js";
import { newAuditId } from "../tokens/audit-ids.js";
import type { TokenKeys, Tokens } from "../tokens/index.js";
import type { TrustService } from "../trusts/trust-service.js";
import type { UserService } from "../users/user-service.js";
import { createTokenMethod, type AuthMethod } from "./auth-methods.js";
import { addAuthRoutes, addPkiRoutes } from "./auth-routes.js";
import { createLogin } from "./login.js";
import { createApplicationCredentialMethod } from "./methods/application-credential-login.js";
import { createOAuth1Method } from "./methods/oauth1-login.js";
import { createPasskeyMethod } from "./methods/passkey-login.js";
import { createPasswordLogin, createPasswordMethod } from "./methods/password-login.js";
import { createSignedRequestLogin } from "./methods/signed-request-login.js";
import { createTotpMethod } from "./methods/totp-login.js";
import { addPasskeyLoginRoutes } from "./passkey-login-routes.js";
import { createPasswordChange } from "./password-change.js";
import { createReceipts, type ReceiptsDeps } from "./receipts.js";
import { addScopeRoutes } from "./scope-routes.js";
import { addSignedRequestRoutes } from "./signed-request-routes.js";

/** Queue of passwords to hash: at 13 ms of a core each, the wait stays below a few seconds. */
const MAX_WAITING_PASSWORDS = 256;
/**
 * Logins in flight, in addition to two per concurrent hash. Few, so that password guessing delays other logins by at most a third
 * of a second.
 */
const MAX_LOGINS_IN_FLIGHT = 16;

export interface PasswordsUses {
  readonly revokeTokens: RevokeTokens;
  readonly directories: DirectoryService;
  readonly domainConfigs: DomainConfigService;
}

export type Passwords = ReturnType<typeof createPasswordsArea>;

export function createPasswordsArea(
  platform: Platform,
  { revokeTokens, domainConfigs, directories }: PasswordsUses,
) {
  const { config } = platform;
  // One core is left for other requests.
  const hashesAtOnce = Math.max(1, availableParallelism() - 1);
  const hasher = createPasswordHasher({
    kind: config.password.hash,
    concurrency: hashesAtOnce,
    maxWaiting: MAX_WAITING_PASSWORDS + 4 * hashesAtOnce,
  });
  const rules = readPasswordRules(config.password);
  const throttle = config.failedLogins.isLimited
    ? createLoginThrottling({
        ...platform,
        limits: readThrottlingLimits(config.failedLogins, {
          maxInFlight: MAX_LOGINS_IN_FLIGHT + 2 * hashesAtOnce,
        }),
        maxWaitMs: config.failedLogins.waitSeconds * 1000,
      })
    : undefined;
  const { requireSqlDriver } = domainConfigs;
  const passwordLogin = createPasswordLogin({
    ...platform,
    hasher,
    rules,
    requireSqlDriver,
    directories,
    throttle,
  });
  return {
    hasher,
    rules,
    throttle,
    passwordLogin,
    changePassword: createPasswordChange({
      ...platform,
      hasher,
      rules,
      login: passwordLogin,
      requireWritable: (domainId) => directories.requireWritable(domainId),
      revokeTokens,
    }),
    start: (reports) => throttle?.start(reports) ?? (() => {}),
  } satisfies AreaWithServices;
}

export interface AuthUses extends Pick<ReceiptsDeps, "requireValidFederation"> {
  readonly keys: TokenKeys;
  readonly tokens: Tokens;
  readonly passwords: Passwords;
  readonly domainConfigs: DomainConfigService;
  readonly directories: DirectoryService;
  readonly users: UserService;
  readonly projects: ProjectService;
  readonly roles: RoleServices["roles"];
  readonly catalog: Catalog;
  readonly serviceProviders: ServiceProviderService;
  readonly applicationCredentials: ApplicationCredentialService;
  readonly credentials: CredentialService;
  readonly ec2Keys: Ec2KeyService;
  readonly passkeys: PasskeyService;
  readonly trusts: TrustService;
  readonly oauth1: OAuth1Service;
  readonly oauth1Verifier: OAuth1Verifier;
}

export function createAuthArea(
  platform: Platform,
  { keys, passwords, tokens: { tokens, facts, keyRing }, ...uses }: AuthUses,
) {
  const { config } = platform;
  const { revocations } = keys;
  const { requireValidFederation, domainConfigs } = uses;
  const receipts = createReceipts({
    ...platform,
    keyRing,
    tokens,
    requireValidFederation,
    lifetimeMs: config.token.receiptLifetimeSeconds * 1000,
  });
  const login = createLogin({
    ...platform,
    ...uses,
    tokens,
    facts,
    receipts,
    requireSqlDriver: domainConfigs.requireSqlDriver,
    newAuditId,
    lifetimeMs: config.token.lifetimeSeconds * 1000,
  });
  const signedRequestLogin = createSignedRequestLogin({
    ...platform,
    ...uses,
    login,
    revocations,
    lifetimeMs: config.credential.signatureLifetimeSeconds * 1000,
  });
  const deps = { ...platform, ...passwords, ...uses, tokens, revocations };
  const methods: AuthMethod[] = [
    createPasswordMethod(passwords),
    createTokenMethod(deps),
    createApplicationCredentialMethod(deps),
    createTotpMethod(deps),
    createPasskeyMethod(deps),
    createOAuth1Method(deps),
  ];
  return {
    login,
    methods,
    /** @param allMethods All, also those of other areas. */
    addRoutesOf(server: HttpServer, allMethods: readonly AuthMethod[]) {
      const { projects, roles } = uses;
      addAuthRoutes(server, { ...uses, tokens, login, methods: allMethods });
      addPasskeyLoginRoutes(server, { ...uses, receipts });
      addPkiRoutes(server);
      addScopeRoutes(server, { ...platform, ...uses, tokens, ...scopesShown(platform, { projects, roles }) });
      addSignedRequestRoutes(server, { ...uses, signedRequestLogin });
    },
  };
}

/** How the projects and domains that a user can get a token for are shown. */
function scopesShown({ links }: Platform, { projects, roles }: Pick<AuthUses, "projects" | "roles">) {
  const enabledDomains = async (ids: readonly string[]) =>
    (await projects.listProjectsById(ids)).filter(({ isDomain, enabled }) => isDomain && enabled);
  return {
    scopesOf: (actor: Parameters<typeof roles.scopesOf>[0]) => roles.scopesOf(actor),
    schemas: { project: ProjectView, domain: DomainView },
    async showProjects(ids: readonly string[]) {
      const found = (await projects.listProjectsById(ids)).filter(({ enabled }) => enabled);
      const domainIds = [...new Set(found.map(({ id, domainId }) => domainId ?? id))];
      const domains = new Set((await enabledDomains(domainIds)).map(({ id }) => id));
      return found
        .filter(({ id, domainId }) => domains.has(domainId ?? id))
        .map((project) => projectView(project, links));
    },
    showDomains: async (ids: readonly string[]) =>
      (await enabledDomains(ids)).map((project) => domainView(toDomain(project), links)),
  };
}
