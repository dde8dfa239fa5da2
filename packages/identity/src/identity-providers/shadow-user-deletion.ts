/** Deletes shadow users, and revokes their tokens, with their provider or protocol. */
import type { Transaction } from "../platform/database/database.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";

/** The shadow users of a provider, or of one of its protocols. */
export interface ShadowUsersOf {
  readonly identityProviderId: string;
  readonly protocolId?: string;
}

/**
 * Deletes shadow users who have no other protocol, in the caller's transaction, and returns their ids.
 */
export type EndShadowUsers = (transaction: Transaction, of: ShadowUsersOf) => Promise<readonly string[]>;

export interface ShadowUserEnding {
  readonly endShadowUsers: EndShadowUsers;
  readonly revokeTokens: RevokeTokens;
}

/** Options of transactions that delete shadow users. */
export const USERS_END = { changes: ["facts", "revocations"] } as const;

/** Deletes shadow users and revokes the tokens of all such logins, in a transaction with {@link USERS_END}. */
export async function endUsersAndTokens(
  transaction: Transaction,
  of: ShadowUsersOf,
  { endShadowUsers, revokeTokens }: ShadowUserEnding,
): Promise<void> {
  for (const userId of await endShadowUsers(transaction, of)) await revokeTokens(transaction, { userId });
  // Also the tokens of users who stay: a provider or protocol of the same id may be created again.
  await revokeTokens(transaction, of);
}
