/**
 * Which user of this service a pushed user is: a new one, or one who has logged in through the provider before. Never a local user, or
 * one of another provider or domain.
 */
import type { Queries } from "../../platform/database/database.js";
import {
  foldedName,
  keysOfLogin,
  provisioningProviderOf,
  usersWithAny,
} from "../../users/federated/provisioned-user-store.js";
import { secondUserId, shadowUserId } from "../../users/federated/shadow-users.js";
import {
  deleteIdentity,
  findShadowUser,
  identitiesOf,
  userIdsOfUniqueId,
} from "../../users/federated/shadow-user-store.js";
import { findUser, type FederatedIdentity, type User } from "../../users/user-store.js";
import { ScimUniquenessError } from "../scim-errors.js";
import type { ScimProvider } from "../scim-provider.js";
import type { DesiredScimUser } from "./scim-user.js";

/** The id of the account, and its user if it exists. */
export interface ScimAccount {
  readonly id: string;
  readonly user: User | undefined;
}

/**
 * The account of a user who is pushed for the first time.
 *
 * @throws {ScimUniquenessError} It belongs to another user.
 */
export async function accountOf(
  queries: Queries,
  provider: ScimProvider,
  { uniqueId }: Pick<DesiredScimUser, "uniqueId">,
): Promise<ScimAccount> {
  const { id: idpId, domainId } = provider;
  const [linked, other] = await userIdsOfUniqueId(queries, { idpId, uniqueId });
  if (other !== undefined)
    throw taken(provider, "several users of the service have it, by different protocols");
  if (linked !== undefined) return { id: linked, user: await requireOwn(queries, provider, linked) };
  const id = shadowUserId({ domainId, uniqueId });
  if ((await findUser(queries, id)) === undefined) return { id, user: undefined };
  const identities = await requireOfProvider(queries, provider, id);
  // It has logged in a moment ago.
  if (identities.some((each) => each.idpId === idpId && each.uniqueId === uniqueId))
    return { id, user: await requireOwn(queries, provider, id) };
  // A user who had this id before, as for logins.
  const second = secondUserId({ domainId, uniqueId, idpId });
  if ((await findUser(queries, second)) === undefined) return { id: second, user: undefined };
  throw taken(provider, "two users of the provider had it before: an administrator has to delete one");
}

/**
 * Checks that a pushed user may have another id from now on.
 *
 * @throws {ScimUniquenessError} A user has logged in with it.
 */
export async function requireFreeId(
  queries: Queries,
  provider: ScimProvider,
  { uniqueId, userId }: Pick<DesiredScimUser, "uniqueId"> & { readonly userId: string },
): Promise<void> {
  const { id: idpId, domainId } = provider;
  const linked = await userIdsOfUniqueId(queries, { idpId, uniqueId });
  if (linked.some((id) => id !== userId)) throw taken(provider, "another user has logged in with it");
  const id = shadowUserId({ domainId, uniqueId });
  if (id !== userId && (await findUser(queries, id)) !== undefined)
    await requireOfProvider(queries, provider, id);
}

/** @throws {ScimUniquenessError} The user who logs in with the id is none of the provider's alone. */
async function requireOwn(queries: Queries, provider: ScimProvider, userId: string): Promise<User> {
  const user = await findShadowUser(queries, userId);
  if (user === undefined) throw taken(provider, "an administrator has linked it to a local user");
  if (user.domainId !== provider.domainId)
    throw taken(provider, "its user logged in before, and is in another domain than the provider");
  const identities = (await identitiesOf(queries, [userId])).get(userId) ?? [];
  if (identities.some(({ idpId }) => idpId !== provider.id))
    throw taken(provider, "its user logs in through another identity provider, too");
  if ((await provisioningProviderOf(queries, userId)) !== undefined)
    throw taken(provider, "its user was pushed with another id");
  return user;
}

/**
 * @returns The identities of the user.
 * @throws {ScimUniquenessError} The user is none of the provider's.
 */
async function requireOfProvider(
  queries: Queries,
  provider: ScimProvider,
  userId: string,
): Promise<readonly FederatedIdentity[]> {
  const pushedBy = await provisioningProviderOf(queries, userId);
  const identities = (await identitiesOf(queries, [userId])).get(userId) ?? [];
  const isOwn = pushedBy === provider.id || identities.some(({ idpId }) => idpId === provider.id);
  if (!isOwn) throw taken(provider, "a user of another identity provider in the domain has it");
  return identities;
}

function taken({ scimUniqueId }: ScimProvider, reason: string): ScimUniquenessError {
  return new ScimUniquenessError(`The ${scimUniqueId} is taken: ${reason}.`);
}

/** @throws {ScimUniquenessError} Another pushed user of the provider has the name or an id. */
export async function requireUnique(
  queries: Queries,
  { id: idpId }: ScimProvider,
  { userName, ...values }: Pick<DesiredScimUser, "userName" | "externalId" | "uniqueKey">,
  ownId?: string,
): Promise<void> {
  const { externalId } = values;
  const found = await usersWithAny(queries, idpId, { ...values, userNameKey: foldedName(userName) });
  for (const other of found) {
    if (other.userId === ownId) continue;
    const isSameId = externalId !== null && other.externalId === externalId;
    const what = isSameId ? `externalId ${externalId}` : `userName ${userName}`;
    throw new ScimUniquenessError(`Another user of this provider has the ${what}.`);
  }
}

/** Logins by the former id are no longer those of the user. */
export async function dropFormerIdentities(
  transaction: Queries,
  {
    userId,
    idpId,
    uniqueKey,
  }: { readonly userId: string; readonly idpId: string; readonly uniqueKey: string },
): Promise<void> {
  for (const identity of (await identitiesOf(transaction, [userId])).get(userId) ?? [])
    if (identity.idpId === idpId && keysOfLogin(identity.uniqueId).includes(uniqueKey))
      await deleteIdentity(transaction, identity);
}
