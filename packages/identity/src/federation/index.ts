/** The areas of federation: the checks of providers, the logins of their users, and what browsers and administrators use of them. */
import type { AreaWithServices, Platform } from "../area.js";
import type { RoleServices } from "../assignments/index.js";
import type { AuthMethod } from "../auth/auth-methods.js";
import type { LoginResponseDeps } from "../auth/token-response.js";
import type { GroupService } from "../groups/group-service.js";
import type { IdentityProviderService } from "../identity-providers/identity-provider-service.js";
import {
  type ProtocolService,
  type ProtocolServiceDeps,
} from "../identity-providers/protocols/protocol-service.js";
import type { MappingService } from "../mappings/mapping-service.js";
import { WHOLE_LIST } from "../platform/database/table.js";
import { ifFound } from "../platform/errors.js";
import type { LoginThrottle } from "../platform/login-throttling/login-throttle.js";
import type { ProjectService } from "../projects/project-service.js";
import { createSamlKeys } from "../saml/saml-keys.js";
import { entityIdOf } from "../saml/saml-settings.js";
import { createServiceMetadata } from "../saml/service-metadata.js";
import type { ServiceProviderService } from "../service-providers/service-provider-service.js";
import { newAuditId } from "../tokens/audit-ids.js";
import type { TokenKeys, Tokens } from "../tokens/index.js";
import type { ShadowUsers } from "../users/federated/shadow-users.js";
import type { UserService } from "../users/user-service.js";
import { limitBegunLogins } from "./browser/begun-login-limit.js";
import { createPendingLogins } from "./browser/pending-logins.js";
import { createWebSso, type SessionTarget } from "./browser/websso.js";
import { createFailedLogins } from "./failed-logins/failed-logins.js";
import { createFederatedLogin } from "./federated-login.js";
import { addFederationResources, addFederationRoutes } from "./federation-routes.js";
import { createLogout, protocolsWithLogout } from "./logout/logout.js";
import { createProviderSessions } from "./logout/provider-sessions.js";
import { createMappedMethods } from "./mapped-method.js";
import { createForwardedVerifier, forwardingSettings } from "./protocols/forwarded/forwarded-assertion.js";
import { deleteUnusedWorkloadsOnSchedule } from "./protocols/openid/workload/unused-workloads.js";
import { verifyByType, type ProtocolTypes } from "./protocols/protocol-type.js";
import { serviceEndpoints } from "./protocols/saml2/index.js";
import { mappingFindings } from "./provider-checks/mapping-checks.js";
import { createProtocolChecks } from "./provider-checks/protocol-checks.js";
import {
  createProviderHealth,
  createPublishedHealth,
  listProblems,
} from "./provider-health/provider-health.js";
import { createLoginCounts, registerPublishedMetrics } from "./provider-health/provider-metrics.js";
import { createProviderLogin, type LoginObserver } from "./provider-login.js";
import { createProviderDocumentCache } from "./published/provider-document-cache.js";

interface MappedResources {
  /** The login protocols. */
  readonly types: ProtocolTypes;
  readonly mappings: MappingService;
  readonly projects: ProjectService;
  readonly groups: GroupService;
  readonly roles: RoleServices["roles"];
}

/** What is checked of a protocol when it is stored, and on request. */
export function createProviderChecks(
  platform: Platform,
  uses: MappedResources,
): Pick<ProtocolServiceDeps, "checkMetadata" | "checkProtocol"> {
  const { config, links } = platform;
  return {
    checkMetadata: async (draft, remoteIds) => uses.types.find(draft)?.checkDraft?.(draft, remoteIds),
    checkProtocol: createProtocolChecks({
      ...platform,
      ...uses,
      allowsHttpIssuers: config.federation.allowsHttpIssuers,
      isProviderNetwork: config.federation.isProviderNetwork,
      serviceId: entityIdOf(config.saml, links),
    }),
  };
}

export interface FederatedLoginsUses extends MappedResources {
  readonly keys: TokenKeys;
  readonly identityProviders: IdentityProviderService;
  readonly protocols: ProtocolService;
  readonly shadowUsers: ShadowUsers;
  readonly users: UserService;
  readonly grants: RoleServices["grants"];
}

export type FederatedLogins = ReturnType<typeof createFederatedLoginsArea>;

/** The verification of logins by their protocols, and what a verified assertion leads to: a user, by the mapping. */
export function createFederatedLoginsArea(platform: Platform, uses: FederatedLoginsUses) {
  const { config, clock, links } = platform;
  const { revocations } = uses.keys;
  const pendingLogins = createPendingLogins(platform);
  const federatedLogin = createFederatedLogin({ ...platform, ...uses, revocations });
  const sessions = createProviderSessions({
    ...platform,
    pendingLogins,
    newAuditId,
    revokeTokens: revocations.revokeTokens,
    lifetimeMs: config.token.lifetimeSeconds * 1000,
  });
  const serviceId = entityIdOf(config.saml, links);
  const serviceKeys = createSamlKeys({ ...platform, commonName: serviceId });
  const protocolLogins = uses.types.open({
    ...platform,
    allowsHttpIssuers: config.federation.allowsHttpIssuers,
    isProviderNetwork: config.federation.isProviderNetwork,
    serviceId,
    serviceKeys,
    pendingLogins,
    kept: createProviderDocumentCache(platform),
    sessions,
    protocolsWithLogout: (id) => protocolsWithLogout(id, { ...uses, federatedLogin }),
    beginLogin: limitBegunLogins({ isLimited: config.failedLogins.isLimited, clock }),
  });
  return {
    pendingLogins,
    federatedLogin,
    sessions,
    protocolLogins,
    serviceKeys,
    verify: verifyByType(protocolLogins),
    purgeTasks: [
      { name: "used assertions and one-time ids", purge: () => pendingLogins.purge() },
      { name: "sessions at providers", purge: () => sessions.purge() },
    ],
  } satisfies AreaWithServices;
}

export interface FederationUses extends FederatedLoginsUses, LoginResponseDeps {
  readonly logins: FederatedLogins;
  readonly observer: LoginObserver;
  readonly tokens: Tokens;
  readonly serviceProviders: ServiceProviderService;
  readonly throttle: LoginThrottle | undefined;
  /** The console of this service, where browsers can log in; `undefined` without one. */
  readonly ownConsole: SessionTarget | undefined;
}

export function createFederationArea(platform: Platform, uses: FederationUses) {
  const { config, links } = platform;
  const { logins, keys: _, tokens: ofTokens, ...others } = uses;
  const { federatedLogin, sessions, serviceKeys } = logins;
  const { tokens } = ofTokens;
  const { protocols, identityProviders, shadowUsers, ownConsole, throttle, observer } = others;
  const { trustedDashboards } = config.federation;
  const deps = {
    ...platform,
    ...others,
    ...logins,
    tokens,
    allowsHttpIssuers: config.federation.allowsHttpIssuers,
    isProviderNetwork: config.federation.isProviderNetwork,
    serviceId: entityIdOf(config.saml, links),
  };

  const serviceMetadata = createServiceMetadata({
    ...platform,
    settings: config.saml,
    keys: serviceKeys,
    endpoints: () => serviceEndpoints(protocols, links),
    revision: () => platform.database.revision("facts"),
  });
  const forwarded = createForwardedVerifier(forwardingSettings(config.federation));
  const logout = createLogout({ ...deps, trustedDashboards });
  const failedLogins = createFailedLogins({
    ...platform,
    isProvider: async (id) => (await ifFound(identityProviders.get(id))) !== undefined,
  });
  const counts = createLoginCounts();
  const providerLogin = createProviderLogin({
    types: deps.types,
    federatedLogin,
    verify: logins.verify,
    observer,
    failedLogins,
    counts,
    recordSession: (key, session, userId) => sessions.record(key, session, userId),
    publish: platform.publish,
    throttle,
  });
  const readProviderHealth = createProviderHealth({
    ...deps,
    checkMapping: (protocol) => mappingFindings(protocol, deps),
  });
  return {
    serviceMetadata,
    listProblems: () => listProblems(platform, readProviderHealth),
    forwarded,
    failedLogins,
    providerLogin,
    methods: createMappedMethods({
      tokens,
      providerLogin,
      requireValidFederation: (rests) => federatedLogin.requireValid(rests),
      publish: platform.publish,
    }) satisfies readonly AuthMethod[],
    addRoutes(server) {
      addFederationResources(server, { ...deps, serviceMetadata, failedLogins, readProviderHealth });
      const webSso = createWebSso({ ...deps, forwarded, trustedDashboards, ownConsole });
      addFederationRoutes(server, { ...deps, providerLogin, webSso, failedLogins, logout });
    },
    purgeTasks: [{ name: "failed logins", purge: () => failedLogins.purge() }],
    start({ log, registry }) {
      counts.register(registry);
      registerPublishedMetrics(registry, {
        ...platform,
        log,
        listProviders: () => identityProviders.list({ ...WHOLE_LIST, enabled: [true] }),
        readPublished: createPublishedHealth(deps),
      });
      const stopPurge = deleteUnusedWorkloadsOnSchedule({ protocols, shadowUsers, log });
      return async () => {
        stopPurge();
        await failedLogins.close();
      };
    },
  } satisfies AreaWithServices;
}
