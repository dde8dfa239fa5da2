/** All migrations in order. Append new ones; never change released ones. */
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

export const migrations: readonly Migration[] = [
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
