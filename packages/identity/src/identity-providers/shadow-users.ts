/** What becomes of users when there is nobody any more who says who they are. */
import type { Queries } from "../platform/database/database.js";
import type { EndTokens } from "../policy/token-ends.js";

/** The users that a provider has brought, or one of its protocols alone. */
export interface ShadowUsersOf {
  readonly identityProviderId: string;
  readonly protocolId?: string;
}

/**
 * Ends shadow users, and says who they were. One who may also come by another protocol of the provider is not ended.
 *
 * To be called in the transaction of the change that ends them.
 */
export type EndShadowUsers = (transaction: Queries, of: ShadowUsersOf) => Promise<readonly string[]>;

export interface ShadowUserEnding {
  readonly endShadowUsers: EndShadowUsers;
  readonly endTokens: EndTokens;
}

/** What transactions change that end users. */
export const USERS_END = { changes: ["facts", "revocations"] } as const;

/** Ends shadow users, and the tokens of all who have logged in that way, in a transaction with {@link USERS_END}. */
export async function endUsersAndTokens(
  transaction: Queries,
  of: ShadowUsersOf,
  { endShadowUsers, endTokens }: ShadowUserEnding,
): Promise<void> {
  for (const userId of await endShadowUsers(transaction, of)) await endTokens(transaction, { userId });
  // Those of users who stay, too: a provider or protocol of the same id may be created again.
  await endTokens(transaction, of);
}
