/** What ends tokens before their time, as the features tell it that cause it. */
import type { Queries } from "../platform/database/database.js";

/** Tokens that have all of these features, and were issued until now. */
export interface TokenEnd {
  readonly userId?: string;
  /** Tokens for this project. */
  readonly projectId?: string;
  /** Tokens with this role. */
  readonly roleId?: string;
  /** Tokens of users of this domain, for it, or for a project in it. */
  readonly domainId?: string;
  /** Tokens for this domain itself. */
  readonly domainScopeId?: string;
  /** Tokens that rest on a login through this identity provider. */
  readonly identityProviderId?: string;
  /** Of these, the tokens that rest on this protocol of the provider. */
  readonly protocolId?: string;
}

/**
 * Ends tokens. To be called in the transaction of the change that ends them, which has `changes: ["facts", "revocations"]`.
 */
export type EndTokens = (transaction: Queries, end: TokenEnd) => Promise<void>;
