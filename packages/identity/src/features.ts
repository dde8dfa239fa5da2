/** Creates the services of all features, the general before the specific. */
import { availableParallelism } from "node:os";

import { createAccessRuleService } from "./application-credentials/access-rule-service.js";
import { createApplicationCredentialService } from "./application-credentials/application-credential-service.js";
import { createCatalog } from "./catalog/catalog.js";
import { createDomainConfigService } from "./domain-config/domain-config-service.js";
import {
  createCatalogFilter,
  createEndpointFilterService,
} from "./endpoint-filter/endpoint-filter-service.js";
import { createEndpointGroupService } from "./endpoint-filter/endpoint-group-service.js";
import { createEndpointPolicyService } from "./policies/endpoint-policy-service.js";
import { createPolicyService } from "./policies/policy-service.js";
import { createEndpointService } from "./catalog/endpoint-service.js";
import { createRegionService } from "./catalog/regions/region-service.js";
import { createServiceService } from "./catalog/service-service.js";
import type { Config } from "./config.js";
import { createCredentialService } from "./credentials/credential-service.js";
import { createEc2KeyService } from "./credentials/ec2-key-service.js";
import { createWebSso } from "./federation/browser/websso.js";
import { createFederatedLogin } from "./federation/federated-login.js";
import { createForwardedVerifier, type ForwardingSettings } from "./federation/forwarded-assertion.js";
import { createMappedMethods } from "./federation/mapped-method.js";
import { createBegunLogins } from "./federation/browser/begun-logins.js";
import { verifierOnDemand } from "./federation/assertion-verifier.js";
import { createProviderLogin } from "./federation/provider-login.js";
import { createSamlKeys } from "./saml/saml-keys.js";
import { createK2kResponder } from "./k2k/k2k-service.js";
import type { SamlReader } from "./federation/saml/saml-reader.js";
import { createMetadataCheck, createMetadataDownload } from "./federation/saml/metadata/metadata-cache.js";
import { createSamlVerifier } from "./federation/saml/saml-verifier.js";
import { entityIdOf } from "./saml/saml-settings.js";
import { createServiceMetadata } from "./saml/service-metadata.js";
import { createGroupService } from "./groups/group-service.js";
import { createIdentityProviderService } from "./identity-providers/identity-provider-service.js";
import type { IdentityProvider } from "./identity-providers/identity-provider-store.js";
import { createProtocolService, type ProtocolService } from "./identity-providers/protocol-service.js";
import type { ProtocolKey } from "./identity-providers/protocol-store.js";
import { createMappingService } from "./mappings/mapping-service.js";
import { createLimitServices } from "./limits/limit-services.js";
import type { Clock } from "./platform/clock.js";
import type { Database, Queries } from "./platform/database/database.js";
import type { Links } from "./platform/http/links.js";
import { newAuditId, type NewId } from "./platform/ids.js";
import { readLoginLimits } from "./platform/login-limits/login-limit-options.js";
import { createLoginLimitService } from "./platform/login-limits/login-limit-service.js";
import { createMemoryBuckets, type TokenBuckets } from "./platform/rate-limit.js";
import type { MasterKey } from "./platform/secrets/sealing.js";
import { createDomainService } from "./projects/domain-service.js";
import { createProjectService } from "./projects/project-service.js";
import { createTagService } from "./projects/tags/tag-service.js";
import { createRoleServices } from "./assignments/role-services.js";
import { createServiceProviderService } from "./service-providers/service-provider-service.js";
import { createApplicationCredentialMethod } from "./auth/application-credential-login.js";
import { createTokenMethod, METHOD_NAMES, type AuthMethod } from "./auth/auth-methods.js";
import { createLogin } from "./auth/login.js";
import { createReceipts } from "./auth/receipts.js";
import { createRevocations } from "./tokens/revocations.js";
import { createKeyRing, createSigningKeys, MAX_ACTIVE_KEYS } from "./tokens/signing-keys.js";
import { createTokenFacts } from "./tokens/token-facts.js";
import type { TokenFederation } from "./tokens/token-payload.js";
import { createTokenService } from "./tokens/token-service.js";
import type { ShadowUsersOf } from "./identity-providers/shadow-user-deletion.js";
import { createShadowUsers } from "./users/federated/shadow-users.js";
import { createMembershipService } from "./users/membership-service.js";
import { createPasswordChange } from "./auth/password-change.js";
import { createPasswordHasher } from "./passwords/password-hash.js";
import { createTotpMethod } from "./auth/totp-login.js";
import { createPasswordLogin, createPasswordMethod } from "./auth/password-login.js";
import { readPasswordRules } from "./passwords/password-settings.js";
import { createTrustService } from "./trusts/trust-service.js";
import { createUserService } from "./users/user-service.js";

export interface FeaturesDeps {
  readonly config: Config;
  readonly database: Database;
  readonly links: Links;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly masterKey: MasterKey;
  readonly samlReader: SamlReader;
}

/** Queue of passwords to hash: at 13 ms of a core each, the wait stays below a few seconds. */
const MAX_WAITING_PASSWORDS = 256;
/**
 * Logins in flight, in addition to two per concurrent hash. Few, so that password guessing delays other logins by at most a third
 * of a second.
 */
const MAX_LOGINS_IN_FLIGHT = 16;

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures(deps: FeaturesDeps) {
  const { config, database, links, clock, newId, masterKey, samlReader } = deps;
  const lifetimeMs = config.tokenLifetimeSeconds * 1000;
  const expiredWindowMs = config.expiredTokenWindowSeconds * 1000;
  const retentionMs = lifetimeMs + expiredWindowMs;
  const signingKeys = createSigningKeys({
    database,
    masterKey,
    clock,
    maxActiveKeys: MAX_ACTIVE_KEYS,
  });
  const revocations = createRevocations({ database, clock, newId, retentionMs });
  const { revokeTokens } = revocations;

  const regions = createRegionService({ database, newId });
  const services = createServiceService({ database, newId });
  const endpoints = createEndpointService({ database, newId });
  const catalog = createCatalog({ database, links, filter: createCatalogFilter({ database }) });

  // Users, groups and grants are created later, and deleted with their project or domain.
  const onProjectDeleted = async (transaction: Queries, projectId: string): Promise<void> => {
    await users.forgetDefaultProject(transaction, projectId);
    await grants.deleteOf(transaction, { projectId });
  };
  const emptyDomain = async (transaction: Queries, domainId: string): Promise<void> => {
    await users.deleteOfDomain(transaction, domainId);
    await groups.deleteOfDomain(transaction, domainId);
  };
  const places = { database, newId, revokeTokens, onProjectDeleted, emptyDomain };
  const projects = createProjectService(places);
  const domains = createDomainService(places);
  const tags = createTagService({ database });

  const endpointGroups = createEndpointGroupService({ database, newId });
  const endpointFilters = createEndpointFilterService({ database, projects });
  const policies = createPolicyService({ database, newId });
  const endpointPolicies = createEndpointPolicyService({ database });
  const domainConfigs = createDomainConfigService({ database, masterKey });

  const limits = createLimitServices({
    database,
    newId,
    catalog: { getService: services.get, getRegion: regions.get },
    projects,
    enforcementModel: config.enforcementModel,
  });

  const groups = createGroupService({
    database,
    newId,
    projects,
    revokeTokens,
    hasGrants: (transaction, groupId) => grants.hasGrantsOf(transaction, { groupId }),
    onGroupDeleted: (transaction, groupId) => grants.deleteOf(transaction, { groupId }),
  });
  // One core is left for other requests.
  const hashesAtOnce = Math.max(1, availableParallelism() - 1);
  const hasher = createPasswordHasher({
    concurrency: hashesAtOnce,
    maxWaiting: MAX_WAITING_PASSWORDS + 4 * hashesAtOnce,
  });
  const rules = readPasswordRules(config);
  // `protocols` depend on `users`, which call them later.
  const userProtocols = {
    requireIn: (queries: Queries, key: ProtocolKey): Promise<IdentityProvider> =>
      protocols.requireIn(queries, key),
  };
  const users = createUserService({
    database,
    newId,
    clock,
    hasher,
    rules,
    projects,
    revokeTokens,
    onUserDeleted: (transaction, userId) => grants.deleteOf(transaction, { userId }),
    protocols: userProtocols,
    methods: {
      names: METHOD_NAMES,
      isProtocol: (queries, id) => protocols.isAnywhere(queries, id),
    },
  });
  const memberships = createMembershipService({ database, groups, users, revokeTokens, clock });
  const shadowUsers = createShadowUsers({ database, clock, rules, revokeTokens });
  const limiter = config.isRateLimited
    ? createLoginLimitService({
        database,
        clock,
        masterKey,
        limits: readLoginLimits(config, { maxInFlight: MAX_LOGINS_IN_FLIGHT + 2 * hashesAtOnce }),
        maxWaitMs: config.loginWaitSeconds * 1000,
      })
    : undefined;
  const passwordLogin = createPasswordLogin({
    database,
    hasher,
    rules,
    clock,
    requireSqlDriver: domainConfigs.requireSqlDriver,
    limiter,
  });
  const changePassword = createPasswordChange({
    database,
    hasher,
    rules,
    clock,
    login: passwordLogin,
    revokeTokens,
  });

  const { roles, impliedRoles, grants, assignments } = createRoleServices({
    database,
    newId,
    users,
    groups,
    projects,
    clock,
    onRoleDeleted: (transaction, roleId) => applicationCredentials.deleteWithRole(transaction, roleId),
  });
  const applicationCredentials = createApplicationCredentialService({
    database,
    newId,
    clock,
    hasher,
    roles,
    maxPerUser: config.applicationCredentialLimit,
  });
  const accessRules = createAccessRuleService({ database });

  const trusts = createTrustService({
    database,
    newId,
    clock,
    users,
    projects,
    roles,
    redelegation: { isAllowed: config.allowsRedelegation, maxCount: config.maxRedelegationCount },
  });
  const credentials = createCredentialService({
    database,
    masterKey,
    newId,
    users,
    projects,
    maxPerUser: config.credentialLimit,
  });
  const ec2Keys = createEc2KeyService({ database, credentials });

  const mappings = createMappingService({ database });
  const ending = {
    endShadowUsers: (transaction: Queries, of: ShadowUsersOf) => shadowUsers.endShadowUsers(transaction, of),
    revokeTokens,
  };
  const identityProviders = createIdentityProviderService({ database, newId, domains, ...ending });
  const checkMetadata = createMetadataCheck({ reader: samlReader });
  const protocols = createProtocolService({ database, mappings, masterKey, checkMetadata, ...ending });
  const serviceProviders = createServiceProviderService({ database });

  const membershipEnds = (userId: string) => shadowUsers.membershipEnds(userId);
  const facts = createTokenFacts({
    database,
    clock,
    revocations,
    users,
    projects,
    roles,
    protocols,
    membershipEnds,
    delegations: {
      applicationCredentialId: (id, subject) => applicationCredentials.readDelegation(id, subject),
      trustId: (id, subject) => trusts.readDelegation(id, subject),
    },
  });
  const keyRing = createKeyRing({ keys: signingKeys, clock });
  const tokens = createTokenService({ keyRing, facts, revocations, clock, expiredWindowMs });
  const requireValidFederation = (federation: TokenFederation) => federatedLogin.requireValid(federation);
  const receipts = createReceipts({
    keyRing,
    tokens,
    requireValidFederation,
    clock,
    lifetimeMs: config.receiptLifetimeSeconds * 1000,
  });
  const login = createLogin({
    database,
    tokens,
    facts,
    users,
    projects,
    trusts,
    receipts,
    requireSqlDriver: domainConfigs.requireSqlDriver,
    clock,
    newAuditId,
    lifetimeMs,
  });
  const entityId = entityIdOf(config, links);
  const samlKeys = createSamlKeys({ database, masterKey, clock, commonName: entityId });
  const serviceMetadata = createServiceMetadata({
    settings: config,
    keys: samlKeys,
    consumerUrls: () => consumerUrls(protocols, links),
    revision: () => database.revision("facts"),
    links,
    newId,
  });
  const k2kRespond = createK2kResponder({
    entityId,
    assertionLifetimeMs: config.samlAssertionSeconds * 1000,
    keys: samlKeys,
    tokens,
    serviceProviders,
    users,
    groups,
    projects,
    clock,
    newId,
  });

  const federatedLogin = createFederatedLogin({
    database,
    clock,
    revocations,
    newId,
    identityProviders,
    protocols,
    mappings,
    shadowUsers,
    users,
    groups,
    projects,
    roles,
    grants,
  });
  const forwarded = createForwardedVerifier(forwardingSettings(config));
  const begunLogins = createBegunLogins({ database, clock, masterKey });
  const { allowsHttpIssuers, isProviderNetwork } = config;
  const openId = verifierOnDemand("openid", async () => {
    const { createOpenIdVerifier } = await import("./federation/openid/openid-verifier.js");
    return createOpenIdVerifier({ clock, begunLogins, allowsHttpIssuers, isProviderNetwork });
  });
  const saml2 = createSamlVerifier({
    entityId,
    keys: samlKeys,
    begunLogins,
    readUrl: createMetadataDownload(config),
    reader: samlReader,
    clock,
    newId,
  });
  const providerLogin = createProviderLogin({
    federatedLogin,
    verifiers: [forwarded, openId, saml2],
    links,
    limiter,
    begunLogins: config.isRateLimited ? begunLoginBuckets(clock) : undefined,
  });
  const { trustedDashboards } = config;
  const webSso = createWebSso({
    identityProviders,
    protocols,
    forwarded,
    links,
    trustedDashboards,
  });
  const methods: readonly AuthMethod[] = [
    createPasswordMethod({ passwordLogin }),
    createTokenMethod({ tokens, requireValidFederation }),
    createApplicationCredentialMethod({ database, applicationCredentials, hasher, revocations, limiter }),
    ...createMappedMethods({ tokens, providerLogin, requireValidFederation }),
    createTotpMethod({ database, credentials, rules, clock, limiter }),
  ];

  return {
    regions,
    services,
    endpoints,
    catalog,
    projects,
    domains,
    tags,
    endpointGroups,
    endpointFilters,
    policies,
    endpointPolicies,
    domainConfigs,
    passwordSettings: {
      password_regex: config.passwordRegex ?? null,
      password_regex_description: config.passwordRegexDescription ?? null,
    },
    ...limits,
    groups,
    users,
    memberships,
    changePassword,
    hasher,
    rules,
    roles,
    impliedRoles,
    grants,
    assignments,
    applicationCredentials,
    accessRules,
    trusts,
    credentials,
    ec2Keys,
    mappings,
    identityProviders,
    protocols,
    serviceProviders,
    serviceMetadata,
    k2kRespond,
    signingKeys,
    revocations,
    tokens,
    login,
    methods,
    providerLogin,
    webSso,
    loginLimits: limiter,
  };
}

/** Forwarded assertions require both a secret and addresses. */
function forwardingSettings(config: Config): ForwardingSettings | undefined {
  const { forwardedAssertionSecret: secret, isAssertionForwarder: isForwarder } = config;
  if (secret === undefined || isForwarder === undefined) return undefined;
  const { forwardedAssertionHeader: header, remoteIdAttribute } = config;
  return { header, secret, isForwarder, remoteIdAttribute };
}

/** The ACS URLs of all SAML protocols. */
async function consumerUrls(protocols: ProtocolService, links: Links): Promise<string[]> {
  const keys = await protocols.listOfType("saml2");
  return keys.map(
    ({ idpId, id }) => `${links.self("/v3/OS-FEDERATION/identity_providers", idpId, "protocols", id)}/auth`,
  );
}

/** Browser logins started per network: an office behind one address may start as many in a minute. Each costs a signature. */
function begunLoginBuckets(clock: Clock): TokenBuckets {
  return createMemoryBuckets({ burst: 200, perSecond: 5, clock, maxKeys: 100_000 });
}
