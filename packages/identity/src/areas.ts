/** Creates all areas of the service, each with the areas it uses. */
import { createApplicationCredentialsArea } from "./application-credentials/index.js";
import type { Platform } from "./area.js";
import { createRolesArea } from "./assignments/index.js";
import { METHOD_NAMES } from "./auth/auth-methods.js";
import { createAuthArea, createPasswordsArea } from "./auth/index.js";
import { createCatalogArea } from "./catalog/index.js";
import { createWebConsole } from "./console/web-console.js";
import { createCredentialsArea } from "./credentials/index.js";
import { createDirectoriesArea } from "./directories/index.js";
import { createDomainConfigArea } from "./domain-config/index.js";
import { createCatalogFilter } from "./endpoint-filter/endpoint-filter-service.js";
import { createEndpointFilterArea } from "./endpoint-filter/index.js";
import { createEventsArea } from "./events/index.js";
import { createFederatedLoginsArea, createFederationArea, createProviderChecks } from "./federation/index.js";
import { forwardingSettings } from "./federation/protocols/forwarded/forwarded-assertion.js";
import { createProtocols } from "./federation/protocols/index.js";
import { type ProtocolType, createProtocolTypes } from "./federation/protocols/protocol-type.js";
import type { SamlReader } from "./federation/protocols/saml2/saml-reader.js";
import { createEffectiveRoles } from "./grants/effective-roles.js";
import { hasGrants } from "./grants/grant-store.js";
import { createGroupsArea } from "./groups/index.js";
import { createIdentityProvidersArea } from "./identity-providers/index.js";
import type { CheckProtocol } from "./identity-providers/protocols/protocol-report.js";
import { createK2kArea } from "./k2k/index.js";
import { createLimitsArea } from "./limits/index.js";
import { createMappingService } from "./mappings/mapping-service.js";
import { createOAuth1Area } from "./oauth1/index.js";
import { createOAuth2Area } from "./oauth2/index.js";
import { createPasskeysArea } from "./passkeys/index.js";
import type { HttpServer } from "./platform/http/http-server.js";
import { createProjectsArea } from "./projects/index.js";
import { entityIdOf } from "./saml/saml-settings.js";
import { createScimArea } from "./scim/index.js";
import { createServiceProviderService } from "./service-providers/service-provider-service.js";
import { createSessionsArea } from "./sessions/index.js";
import { createPoliciesArea } from "./stored-policies/index.js";
import { createTokenKeysArea, createTokensArea } from "./tokens/index.js";
import { createTrustsArea } from "./trusts/index.js";
import { hasProvisionedUsers } from "./users/federated/provisioned-user-store.js";
import { createUsersArea } from "./users/index.js";
import { createWorkbenchArea } from "./workbench/index.js";

export type Areas = ReturnType<typeof createAreas>;

export interface AreasOptions {
  /** Parses SAML messages. */
  readonly samlReader: SamlReader;
  /** Login protocols besides those of the service. */
  readonly protocolTypes?: readonly ProtocolType[] | undefined;
  /** Checks protocols that are stored; by default as logins do, which sends requests to providers. */
  readonly checkProtocol?: CheckProtocol | undefined;
}

export function createAreas(
  platform: Platform,
  { samlReader, protocolTypes = [], checkProtocol }: AreasOptions,
) {
  const { config, database, links } = platform;
  const tokenKeys = createTokenKeysArea(platform);
  const { revocations } = tokenKeys;
  const { revokeTokens } = revocations;

  const filter = createCatalogFilter({ database, showsAllIfNone: config.catalog.returnsAllEndpoints });
  const catalog = createCatalogArea(platform, { filter });
  const effectiveRoles = createEffectiveRoles(platform);
  const projectsArea = createProjectsArea(platform, {
    revokeTokens,
    visibleProjectIds: async ({ userId }) =>
      new Set((await effectiveRoles.scopesOf({ userId, groupIds: [] })).projectIds),
  });
  const { projects, domains } = projectsArea;
  const endpointFilter = createEndpointFilterArea(platform, { projects });
  const policies = createPoliciesArea(platform);
  const domainConfig = createDomainConfigArea(platform);
  const { domainConfigs } = domainConfig;
  const directoriesArea = createDirectoriesArea(platform, { domainConfigs });
  const { directories } = directoriesArea;
  const limits = createLimitsArea(platform, {
    catalog: { getService: catalog.services.get, getRegion: catalog.regions.get },
    projects,
  });

  const groupsArea = createGroupsArea(platform, { projects, revokeTokens, hasGrants, directories });
  const { groups } = groupsArea;
  const passwords = createPasswordsArea(platform, { revokeTokens, domainConfigs, directories });
  const { hasher, rules, throttle, changePassword } = passwords;
  const usersArea = createUsersArea(platform, {
    revokeTokens,
    projects,
    groups,
    hasher,
    rules,
    directories,
    changePassword,
    methodNames: METHOD_NAMES,
  });
  const { users, shadowUsers } = usersArea;
  const rolesArea = createRolesArea(platform, {
    projects,
    groups,
    users,
    refreshGrantedGroups: (targetIds) => directories.refreshGrantedGroups(targetIds),
  });
  const { roles, grants } = rolesArea;
  const credentialsOfApplications = createApplicationCredentialsArea(platform, { hasher, roles });
  const { applicationCredentials } = credentialsOfApplications;
  const trustsArea = createTrustsArea(platform, {
    users,
    projects,
    roles,
    retentionMs: tokenKeys.retentionMs,
  });
  const { trusts } = trustsArea;
  const credentialsArea = createCredentialsArea(platform, { users, projects, revokeTokens });
  const { credentials, ec2Keys } = credentialsArea;

  const mappings = createMappingService(platform);
  const serviceProviders = createServiceProviderService(platform);
  const types = createProtocolTypes([
    ...createProtocols({ samlReader, frontEnd: forwardingSettings(config.federation) }),
    ...protocolTypes,
  ]);
  const mapped = { types, mappings, projects, groups, roles };
  const checks = createProviderChecks(platform, mapped);
  const providers = createIdentityProvidersArea(platform, {
    ...checks,
    checkProtocol: checkProtocol ?? checks.checkProtocol,
    mappings,
    settings: types.settings,
    domains,
    revokeTokens,
    endShadowUsers: (transaction, of) => shadowUsers.endShadowUsers(transaction, of),
    hasProvisionedUsers,
    onProviderEnded: platform.deletions.of("identity-provider"),
  });
  const ofProviders = { ...mapped, ...providers, keys: tokenKeys, shadowUsers, users, grants };
  const federatedLogins = createFederatedLoginsArea(platform, ofProviders);
  const { pendingLogins, federatedLogin, serviceKeys } = federatedLogins;

  const oauth1Area = createOAuth1Area(platform, {
    projects,
    roles,
    useOnce: (id) => pendingLogins.use({ kind: "oauth1", ...id }),
  });
  const passkeysArea = createPasskeysArea(platform, {
    users,
    revokeTokens,
    useOnce: (id) => pendingLogins.use({ kind: "passkey", ...id }),
  });
  const { passkeys } = passkeysArea;
  const delegations = { applicationCredentials, trusts, ...oauth1Area };
  const { protocols } = providers;
  const tokensArea = createTokensArea(platform, {
    keys: tokenKeys,
    users,
    shadowUsers,
    projects,
    roles,
    protocols,
    recheckAt: (userId) => directories.recheckAt(userId),
    ...delegations,
  });
  const { tokens } = tokensArea;
  const { catalog: tokenCatalog } = catalog;
  const auth = createAuthArea(platform, {
    keys: tokenKeys,
    tokens: tokensArea,
    passwords,
    domainConfigs,
    directories,
    users,
    projects,
    roles,
    catalog: tokenCatalog,
    serviceProviders,
    credentials,
    ec2Keys,
    passkeys,
    ...delegations,
    requireValidFederation: (rests) => federatedLogin.requireValid(rests),
  });
  const responses = { login: auth.login, catalog: tokenCatalog, serviceProviders };

  const webConsole = config.console.isServed
    ? createWebConsole({ ...platform, publicUrl: links.publicUrl, pendingLogins })
    : undefined;
  const ownConsole = webConsole !== undefined && "target" in webConsole ? webConsole.target : undefined;
  const workbench = createWorkbenchArea(platform, {
    ...ofProviders,
    logins: federatedLogins,
    tokens: tokensArea,
    domainConfigs,
  });
  const federation = createFederationArea(platform, {
    ...ofProviders,
    ...responses,
    logins: federatedLogins,
    observer: workbench.observer,
    tokens: tokensArea,
    throttle,
    ownConsole,
  });
  const methodNames: readonly string[] = METHOD_NAMES;
  // In the order in which responses name them.
  const methods = [...auth.methods, ...federation.methods].toSorted(
    (one, other) => methodNames.indexOf(one.name) - methodNames.indexOf(other.name),
  );

  // In the order in which their routes are added, and their work started.
  return {
    auth: { ...auth, methods, addRoutes: (server: HttpServer) => auth.addRoutesOf(server, methods) },
    tokenKeys,
    catalog,
    endpointFilter,
    policies,
    projects: projectsArea,
    domainConfig,
    directories: directoriesArea,
    limits,
    groups: groupsArea,
    passwords,
    users: usersArea,
    roles: rolesArea,
    applicationCredentials: credentialsOfApplications,
    trusts: trustsArea,
    credentials: credentialsArea,
    passkeys: passkeysArea,
    // With what only they refer to.
    identityProviders: { ...providers, mappings, serviceProviders },
    federatedLogins,
    federation,
    workbench,
    scim: createScimArea(platform, { ...providers, revokeTokens, directories, throttle }),
    k2k: createK2kArea(platform, {
      entityId: entityIdOf(config.saml, links),
      keys: serviceKeys,
      tokens,
      serviceProviders,
      users,
      groups,
      projects,
    }),
    oauth2: createOAuth2Area(platform, {
      ...responses,
      ...providers,
      mappings,
      users,
      projects,
      revocations,
      methods,
      forwarded: federation.forwarded,
      providerLogin: federation.providerLogin,
    }),
    oauth1: oauth1Area,
    sessions: createSessionsArea(platform, { users, revokeTokens }),
    tokens: tokensArea,
    events: createEventsArea(platform, { services: catalog.services }),
    // Its routes need what only a process that serves has: console/console-process.ts.
    console: {
      webConsole,
      uses: {
        ...responses,
        ...providers,
        methods,
        tokens,
        passkeys,
        listProblems: federation.listProblems,
        countRecent: (ms: number) => federation.failedLogins.countRecent(ms),
      },
    },
  };
}
