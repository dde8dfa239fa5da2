/** Creates the services of all resources, the general before the specific. */
import { availableParallelism } from "node:os";

import { createAccessRuleService } from "../application-credentials/access-rule-service.js";
import { createApplicationCredentialService } from "../application-credentials/application-credential-service.js";
import { createCatalog } from "../catalog/catalog.js";
import { createDomainConfigService } from "../domain-config/domain-config-service.js";
import {
  createCatalogFilter,
  createEndpointFilterService,
} from "../endpoint-filter/endpoint-filter-service.js";
import { createEndpointGroupService } from "../endpoint-filter/endpoint-group-service.js";
import { createEndpointPolicyService } from "../policies/endpoint-policy-service.js";
import { createPolicyService } from "../policies/policy-service.js";
import { createEndpointService } from "../catalog/endpoint-service.js";
import { createRegionService } from "../catalog/regions/region-service.js";
import { createServiceService } from "../catalog/service-service.js";
import type { Config } from "../config.js";
import { createCredentialService } from "../credentials/credential-service.js";
import { createEc2KeyService } from "../credentials/ec2-key-service.js";
import type { SamlReader } from "../federation/saml/saml-reader.js";
import { createProtocolChecks } from "../federation/provider-checks/protocol-checks.js";
import { createMetadataCheck, createMetadataDownload } from "../federation/saml/metadata/metadata-cache.js";
import { createGroupService } from "../groups/group-service.js";
import { createIdentityProviderService } from "../identity-providers/identity-provider-service.js";
import type { IdentityProvider } from "../identity-providers/identity-provider-store.js";
import { createProtocolService } from "../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import { createMappingService } from "../mappings/mapping-service.js";
import { createLimitServices } from "../limits/limit-services.js";
import type { Clock } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { Links } from "../platform/http/links.js";
import { type NewId } from "../platform/ids.js";
import { readLoginLimits } from "../platform/login-limits/login-limit-options.js";
import { createLoginLimitService } from "../platform/login-limits/login-limit-service.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import { createDomainService } from "../projects/domain-service.js";
import { createProjectService } from "../projects/project-service.js";
import { createTagService } from "../projects/tags/tag-service.js";
import { createRoleServices } from "../assignments/role-services.js";
import { entityIdOf } from "../saml/saml-settings.js";
import { createServiceProviderService } from "../service-providers/service-provider-service.js";
import { METHOD_NAMES } from "../auth/auth-methods.js";
import { createRevocations } from "../tokens/revocations.js";
import { createSigningKeys, MAX_ACTIVE_KEYS } from "../tokens/signing-keys.js";
import type { ShadowUsersOf } from "../identity-providers/shadow-user-deletion.js";
import { createShadowUsers } from "../users/federated/shadow-users.js";
import { createMembershipService } from "../users/membership-service.js";
import { createConsumerService } from "../oauth1/consumer-service.js";
import { createOAuth1Service } from "../oauth1/oauth1-service.js";
import { createPasswordChange } from "../auth/password-change.js";
import { createPasswordHasher } from "../passwords/password-hash.js";
import { createPasswordLogin } from "../auth/methods/password-login.js";
import { readPasswordRules } from "../passwords/password-settings.js";
import { createTrustService } from "../trusts/trust-service.js";
import { createUserService } from "../users/user-service.js";

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

export type ResourceFeatures = ReturnType<typeof createResourceFeatures>;

export function createResourceFeatures({
  config,
  database,
  links,
  clock,
  newId,
  masterKey,
  samlReader,
}: FeaturesDeps) {
  const retentionMs = (config.tokenLifetimeSeconds + config.expiredTokenWindowSeconds) * 1000;
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
  const catalogFilter = createCatalogFilter({ database, showsAllIfNone: config.returnsAllEndpoints });
  const catalog = createCatalog({ database, links, filter: catalogFilter });

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
    kind: config.passwordHash,
    concurrency: hashesAtOnce,
    maxWaiting: MAX_WAITING_PASSWORDS + 4 * hashesAtOnce,
  });
  const rules = readPasswordRules(config);
  // `protocols` depend on `users`, which call them later.
  const userProtocols = {
    requireIn: (queries: Queries, key: ProtocolKey): Promise<IdentityProvider> =>
      protocols.requireIn(queries, key),
  };
  const onUserDeleted = (transaction: Queries, userId: string): Promise<void> =>
    grants.deleteOf(transaction, { userId });
  const users = createUserService({
    database,
    newId,
    clock,
    hasher,
    rules,
    projects,
    revokeTokens,
    onUserDeleted,
    protocols: userProtocols,
    methods: {
      names: METHOD_NAMES,
      isProtocol: (queries, id) => protocols.isAnywhere(queries, id),
    },
  });
  const memberships = createMembershipService({ database, groups, users, revokeTokens, clock });
  const shadowUsers = createShadowUsers({ database, clock, rules, revokeTokens, onUserDeleted });
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
    retentionMs,
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
  const consumers = createConsumerService({ database, masterKey, newId });
  const oauth1 = createOAuth1Service({ database, masterKey, newId, clock, consumers, projects, roles });

  const mappings = createMappingService({ database });
  const ending = {
    endShadowUsers: (transaction: Queries, of: ShadowUsersOf) => shadowUsers.endShadowUsers(transaction, of),
    revokeTokens,
  };
  const identityProviders = createIdentityProviderService({ database, newId, domains, ...ending });
  const checkMetadata = createMetadataCheck({ reader: samlReader });
  const checkProtocol = createProtocolChecks({
    allowsHttpIssuers: config.allowsHttpIssuers,
    isProviderNetwork: config.isProviderNetwork,
    mappings,
    projects,
    groups,
    roles,
    links,
    entityId: entityIdOf(config, links),
    acceptsForwarded: config.forwardedAssertionSecret !== undefined,
    readUrl: createMetadataDownload(config),
    reader: samlReader,
    clock,
  });
  const protocols = createProtocolService({
    database,
    mappings,
    masterKey,
    checkMetadata,
    checkProtocol,
    clock,
    ...ending,
  });
  const serviceProviders = createServiceProviderService({ database });

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
    consumers,
    oauth1,
    mappings,
    identityProviders,
    protocols,
    serviceProviders,
    signingKeys,
    revocations,
    shadowUsers,
    passwordLogin,
    loginLimits: limiter,
  };
}
