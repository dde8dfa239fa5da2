/** All migrations in order. Append new ones to `later`; never change released ones. */
import type { Migration } from "../platform/database/migrate.js";
import { projects } from "./0001-projects.js";
import { users } from "./0002-users.js";
import { roles } from "./0003-roles.js";
import { catalog } from "./0004-catalog.js";
import { tokens } from "./0005-tokens.js";
import { limits } from "./0006-limits.js";
import { federation } from "./0007-federation.js";
import { federatedUsers } from "./0008-federated-users.js";
import { loginRequests } from "./0009-login-requests.js";
import { samlKeys } from "./0010-saml-keys.js";
import { usedLogins } from "./0011-used-logins.js";
import { revocationPositions } from "./0012-revocation-positions.js";
import { providerRevocations } from "./0013-provider-revocations.js";
import { loginLimits } from "./0014-login-limits.js";
import { authorizedDomains } from "./0015-authorized-domains.js";
import { masterKey } from "./0016-master-key.js";
import { assignmentOrder } from "./0017-assignment-order.js";
import { endpointFilters } from "./0018-endpoint-filters.js";
import { policies } from "./0019-policies.js";
import { domainConfig } from "./0020-domain-config.js";
import { applicationCredentials } from "./0021-application-credentials.js";
import { credentials } from "./0022-credentials.js";
import { trusts } from "./0023-trusts.js";
import { keystoneImport } from "./0024-keystone-import.js";
import { importedTokens } from "./0025-imported-tokens.js";
import { oauth1 } from "./0026-oauth1.js";
import { protocolRefresh } from "./0027-protocol-refresh.js";
import { workloadUsers } from "./0028-workload-users.js";
import { federatedSessions } from "./0030-federated-sessions.js";
import { providerDocuments } from "./0031-provider-documents.js";
import { endedMemberships } from "./0032-ended-memberships.js";
import { listOrder } from "./0034-list-order.js";
import { consoleSessions } from "./0035-console-sessions.js";
import { auditTrail } from "./0036-audit-trail.js";
import { refusedLogins } from "./0037-refused-logins.js";
import { testLogins } from "./0038-test-logins.js";
import { providerFetches } from "./0039-provider-fetches.js";
import { loginRecording } from "./0040-login-recording.js";
import { userNameOrder } from "./0041-user-names.js";
import { failedFetchSource } from "./0042-failed-fetch-source.js";
import { rejectedLogins } from "./0043-rejected-logins.js";
import { importedPrecision } from "./0044-imported-precision.js";
import { exactIds } from "./0045-exact-ids.js";
import { scim } from "./0046-scim.js";
import { passkeys } from "./0047-passkeys.js";
import { sessionFacts } from "./0048-session-facts.js";
import { serviceEvents } from "./0049-service-events.js";
import { knownHealth } from "./0050-known-health.js";
import { wrappedKeys } from "./0051-wrapped-keys.js";

/** Of the first release: each release has to know them. */
const first: readonly Migration[] = [
  projects,
  users,
  roles,
  catalog,
  tokens,
  limits,
  federation,
  federatedUsers,
  loginRequests,
  samlKeys,
  usedLogins,
  revocationPositions,
  providerRevocations,
  loginLimits,
  authorizedDomains,
  masterKey,
  assignmentOrder,
  endpointFilters,
  policies,
  domainConfig,
  applicationCredentials,
  credentials,
  trusts,
  keystoneImport,
  importedTokens,
  oauth1,
  protocolRefresh,
  workloadUsers,
  federatedSessions,
];

/**
 * The others only expand the schema, so that the former release runs with it, except for those that say `expands: false`: see
 * "Change the tables of the identity service" in CONTRIBUTING.md. A test compares the schema before and after each step.
 */
const later: readonly Migration[] = [
  providerDocuments,
  endedMemberships,
  listOrder,
  consoleSessions,
  auditTrail,
  refusedLogins,
  testLogins,
  providerFetches,
  loginRecording,
  userNameOrder,
  failedFetchSource,
  rejectedLogins,
  importedPrecision,
  exactIds,
  scim,
  passkeys,
  sessionFacts,
  serviceEvents,
  knownHealth,
  wrappedKeys,
];

export const migrations: readonly Migration[] = [
  ...first,
  ...later.map((migration) => Object.assign({ expands: true }, migration)),
];
