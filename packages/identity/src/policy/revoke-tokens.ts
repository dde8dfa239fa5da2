/** The port by which features revoke tokens. */
import type { Queries } from "../platform/database/database.js";

/** Selects the tokens issued so far that match all given members. */
export interface TokenSelection {
  /** A token and all that were issued for it, directly or indirectly. */
  readonly auditChainId?: string;
  readonly userId?: string;
  /** Tokens scoped to this project. */
  readonly projectId?: string;
  /** Tokens with this role. */
  readonly roleId?: string;
  /** Tokens of users of this domain, or scoped to it or to a project in it. */
  readonly domainId?: string;
  /** Tokens scoped to this domain itself. */
  readonly domainScopeId?: string;
  /** Tokens from logins through this identity provider. */
  readonly identityProviderId?: string;
  /** Of these, tokens from logins through this protocol. */
  readonly protocolId?: string;
}

/** Revokes tokens. Call it in the transaction of the change, which has `changes: ["facts", "revocations"]`. */
export type RevokeTokens = (transaction: Queries, selection: TokenSelection) => Promise<void>;
