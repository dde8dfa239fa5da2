/** Creates the services of logins: tokens, their methods, and the federated logins. */
import { createWebConsole } from "../console/web-console.js";
import { authUrlOf } from "../federation/auth-url.js";
import { createWebSso } from "../federation/browser/websso.js";
import { createFederatedLogin } from "../federation/federated-login.js";
import { createLoginPreview } from "../federation/mapped/login-preview.js";
import { createLoginRecordings } from "../federation/recording/login-recordings.js";
import { createReplay } from "../federation/workbench/replay.js";
import { createRuleAccess } from "../federation/workbench/rule-access.js";
import { createForwardedVerifier } from "../federation/forwarded-assertion.js";
import { createLogout, protocolsWithLogout } from "../federation/logout/logout.js";
import { createProviderSessions } from "../federation/logout/provider-sessions.js";
import { createSamlLogout } from "../federation/logout/saml-logout.js";
import { createMappedMethods } from "../federation/mapped-method.js";
import { createBegunLogins } from "../federation/browser/begun-logins.js";
import { verifierOnDemand } from "../federation/assertion-verifier.js";
import { createLoginRecords } from "../federation/login-records/login-records.js";
import { createLoginVerification } from "../federation/login-verification.js";
import { createProviderHealth } from "../federation/provider-health/provider-health.js";
import { createProviderLogin } from "../federation/provider-login.js";
import { createTestLogins } from "../federation/test-login/test-login-service.js";
import { createFaultOfRehearsed } from "../federation/test-login/rehearsed-fault.js";
import { ifFound } from "../platform/found.js";
import { createKeptDocuments } from "../federation/published/kept-documents.js";
import { createSamlKeys } from "../saml/saml-keys.js";
import { createK2kResponder } from "../k2k/k2k-service.js";
import { createCertificateLogin } from "../oauth2/certificate-login.js";
import { createMetadataDownload } from "../federation/saml/metadata/metadata-cache.js";
import { createSamlVerifier } from "../federation/saml/saml-verifier.js";
import { entityIdOf } from "../saml/saml-settings.js";
import { createServiceMetadata, type ServiceEndpoints } from "../saml/service-metadata.js";
import { type ProtocolService } from "../identity-providers/protocols/protocol-service.js";
import { findImportedKeys } from "../tokens/imported/imported-key-store.js";
import type { PurgeTask } from "../platform/purge-schedule.js";
import type { Clock } from "../platform/clock.js";
import type { Links } from "../platform/http/links.js";
import { once } from "../platform/concurrency/once.js";
import { newAuditId } from "../platform/ids.js";
import { createMemoryBuckets, type TokenBuckets } from "../platform/rate-limit.js";
import { createApplicationCredentialMethod } from "../auth/methods/application-credential-login.js";
import { createTokenMethod, type AuthMethod } from "../auth/auth-methods.js";
import { createLogin } from "../auth/login.js";
import { createReceipts } from "../auth/receipts.js";
import { createImportedTokens } from "../tokens/imported/imported-tokens.js";
import { createKeyRing } from "../tokens/signing-keys.js";
import { createTokenFacts } from "../tokens/token-facts.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import { createTokenService } from "../tokens/token-service.js";
import { createSignedRequestLogin } from "../auth/methods/signed-request-login.js";
import { createOAuth1Method } from "../auth/methods/oauth1-login.js";
import { createOAuth1Verifier } from "../oauth1/oauth1-verification.js";
import { createTotpMethod } from "../auth/methods/totp-login.js";
import { createPasswordMethod } from "../auth/methods/password-login.js";
import { bearerOf } from "../trusts/trust-service.js";
import { forwardingSettings } from "./forwarding-settings.js";
import type { FeaturesDeps, ResourceFeatures } from "./resource-features.js";

/** @param resources The services that logins use. */
export function createLoginFeatures(
  { config, database, links, clock, newId, masterKey, samlReader }: FeaturesDeps,
  resources: ResourceFeatures,
) {
  const {
    signingKeys,
    revocations,
    projects,
    domainConfigs,
    groups,
    hasher,
    rules,
    users,
    shadowUsers,
    passwordLogin,
    roles,
    grants,
    applicationCredentials,
    trusts,
    credentials,
    ec2Keys,
    oauth1,
    mappings,
    identityProviders,
    protocols,
    serviceProviders,
    loginLimits: limiter,
  } = resources;
  const lifetimeMs = config.tokenLifetimeSeconds * 1000;
  const expiredWindowMs = config.expiredTokenWindowSeconds * 1000;
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
      accessToken: (accessToken, subject) => oauth1.readDelegation(accessToken, subject),
      certificateThumbprint: async (certificateThumbprint) => ({
        expiresAt: null,
        facts: { certificateThumbprint },
      }),
    },
  });
  const keyRing = createKeyRing({ keys: signingKeys, clock });
  const readImported = createImportedTokens({
    database,
    masterKey,
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
    clock,
    expiredWindowMs,
  });
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
    endpoints: () => serviceEndpoints(protocols, links),
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

  const loginRecordings = createLoginRecordings({
    database,
    clock,
    newId,
    masterKey,
    isAllowed: config.recordsLogins,
    protocols,
  });
  const previewLogin = createLoginPreview({ database, clock, shadowUsers, users, groups, projects, roles });
  const replay = createReplay({
    recordings: loginRecordings,
    mappings,
    protocols,
    identityProviders,
    previewLogin,
    now: () => performance.now(),
  });
  const listRuleAccess = createRuleAccess({ database, clock, groups, projects, users });
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
    recordLogin: (assertion, log) => loginRecordings.record(assertion, log),
  });
  const forwarded = createForwardedVerifier(forwardingSettings(config));
  const certificateLogin = createCertificateLogin({
    users,
    projects,
    mappings,
    mappingId: config.certificateMapping,
    revocations,
    clock,
  });
  const begunLogins = createBegunLogins({ database, clock, masterKey });
  const kept = createKeptDocuments({ database, clock });
  const { allowsHttpIssuers, isProviderNetwork } = config;
  const loadOpenId = once(async () => {
    const { createOpenIdVerifier } = await import("../federation/openid/openid-verifier.js");
    return createOpenIdVerifier({ clock, begunLogins, allowsHttpIssuers, isProviderNetwork, kept });
  });
  const openId = verifierOnDemand("openid", loadOpenId);
  const saml2 = createSamlVerifier({
    entityId,
    keys: samlKeys,
    begunLogins,
    readUrl: createMetadataDownload(config),
    reader: samlReader,
    kept,
    clock,
    newId,
  });
  const sessions = createProviderSessions({
    database,
    clock,
    newAuditId,
    begunLogins,
    revokeTokens: revocations.revokeTokens,
    lifetimeMs,
  });
  const verify = createLoginVerification({
    verifiers: [forwarded, openId, saml2],
    links,
    begunLogins: config.isRateLimited ? begunLoginBuckets(clock) : undefined,
  });
  const faultOf = createFaultOfRehearsed({ projects, domainConfigs, facts });
  const testLogins = createTestLogins({
    database,
    clock,
    newId,
    links,
    begunLogins,
    federatedLogin,
    verify,
    faultOf,
    roles,
    groups,
    projects,
    users,
  });
  const loginRecords = createLoginRecords({
    database,
    clock,
    newId,
    isProvider: async (id) => (await ifFound(identityProviders.get(id))) !== undefined,
  });
  const readProviderHealth = createProviderHealth({
    database,
    clock,
    identityProviders,
    protocols,
    shadowUsers,
    reader: samlReader,
  });
  const providerLogin = createProviderLogin({
    federatedLogin,
    verify,
    testLogins,
    loginRecords,
    recordSession: (key, session, userId) => sessions.record(key, session, userId),
    limiter,
  });
  const { trustedDashboards } = config;
  const webConsole = config.hasConsole
    ? createWebConsole({ publicUrl: links.publicUrl, database, clock, begunLogins })
    : undefined;
  const usableConsole = webConsole !== undefined && "sessions" in webConsole ? webConsole : undefined;
  const webSso = createWebSso({
    identityProviders,
    protocols,
    forwarded,
    links,
    trustedDashboards,
    ownConsole: usableConsole?.target,
  });
  const samlLogout = createSamlLogout({
    entityId,
    keys: samlKeys,
    begunLogins,
    reader: samlReader,
    metadata: saml2.metadata,
    sessions,
    clock,
    newId,
    protocolsOf: (id) => protocolsWithLogout(id, { identityProviders, protocols, federatedLogin }),
    logoutUrl: samlLogoutUrl(links),
  });
  const logout = createLogout({
    federatedLogin,
    tokens,
    sessions,
    saml: samlLogout,
    connections: async () => (await loadOpenId()).connections,
    begunLogins,
    clock,
    links,
    trustedDashboards,
  });
  const signedRequestLogin = createSignedRequestLogin({
    ec2Keys,
    login,
    revocations,
    clock,
    lifetimeMs: config.signatureLifetimeSeconds * 1000,
  });
  const oauth1Verifier = createOAuth1Verifier({
    publicUrl: links.publicUrl,
    clock,
    useOnce: (id) => begunLogins.use({ kind: "oauth1", ...id }),
  });
  const methods: readonly AuthMethod[] = [
    createPasswordMethod({ passwordLogin }),
    createTokenMethod({ tokens, requireValidFederation }),
    createApplicationCredentialMethod({ database, applicationCredentials, hasher, revocations, limiter }),
    ...createMappedMethods({ tokens, providerLogin, requireValidFederation }),
    createTotpMethod({ database, credentials, rules, clock, limiter }),
    createOAuth1Method({ oauth1, oauth1Verifier, revocations }),
  ];

  /** Imported tokens may live longer than those of this service. */
  const purgeMemberships = async (): Promise<boolean> =>
    (await findImportedKeys(database)) === undefined && shadowUsers.purgeMemberships(revocations.maxAgeMs);

  return {
    serviceMetadata,
    k2kRespond,
    tokens,
    login,
    signedRequestLogin,
    methods,
    forwarded,
    certificateLogin,
    oauth1Verifier,
    providerLogin,
    testLogins,
    loginRecords,
    readProviderHealth,
    webSso,
    webConsole,
    logout,
    loginRecordings,
    previewLogin,
    replay,
    listRuleAccess,
    purgeTasks: [
      { name: "test logins", purge: () => testLogins.purge() },
      { name: "rejected logins", purge: () => loginRecords.purge() },
      { name: "revocation events", purge: () => revocations.purge() },
      { name: "used assertions and one-time ids", purge: () => begunLogins.purge() },
      { name: "sessions at providers", purge: () => sessions.purge() },
      {
        name: "sessions of the console",
        purge: async () => (await usableConsole?.sessions.purge()) ?? false,
      },
      { name: "ended memberships", purge: purgeMemberships },
      { name: "recorded logins", purge: () => loginRecordings.purge() },
    ] satisfies readonly PurgeTask[],
  };
}

/** Of all SAML protocols. */
async function serviceEndpoints(protocols: ProtocolService, links: Links): Promise<ServiceEndpoints> {
  const ofSaml = await protocols.listOfType("saml2");
  return {
    consumerUrls: ofSaml.map((key) => authUrlOf(links, key)),
    logoutUrl: ofSaml.some(({ settings }) => settings?.type === "saml2" && settings.logout === true)
      ? samlLogoutUrl(links)
      : undefined,
  };
}

const samlLogoutUrl = (links: Links): string => links.to("/v3/OS-FEDERATION/saml2/logout");

/** Browser logins started per network: an office behind one address may start as many in a minute. Each costs a signature. */
function begunLoginBuckets(clock: Clock): TokenBuckets {
  return createMemoryBuckets({ burst: 200, perSecond: 5, clock, maxKeys: 100_000 });
}
