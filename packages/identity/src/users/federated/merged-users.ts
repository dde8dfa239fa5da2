/**
 * Users whom release 0.2.0 may have merged: it rounded numbers of 2^53 or more that an id is made of, so that 100002348117421472 and
 * 100002348117421473 were one user.
 *
 * Whose the account is can't be known: a login with either number is rejected until an administrator decides. A new user for it would
 * part the rightful one from the account, and the account itself may have the grants of another.
 */
import type { Queries } from "../../platform/database/database.js";
import type { FederatedIdentity } from "../user-store.js";
import { findInexactIdentity, inexactIdentities, type KnownIdentity } from "./shadow-user-store.js";
import type { LoginIdentity } from "./workload-users.js";

/** A user has the id that release 0.2.0 made of the login's. */
export class MergedUserError extends Error {
  override readonly name = "MergedUserError";
  readonly userId: string;
  readonly uniqueId: string;
  readonly roundedId: string;

  constructor(
    userId: string,
    { uniqueId, roundedId }: Required<Pick<LoginIdentity, "uniqueId" | "roundedId">>,
  ) {
    super(`user ${userId} may be several, merged under the id ${roundedId}`);
    this.userId = userId;
    this.uniqueId = uniqueId;
    this.roundedId = roundedId;
  }
}

/**
 * @param identity The identity of the login's id, if it is known.
 * @throws {MergedUserError}
 */
export async function requireNotMerged(
  queries: Queries,
  { roundedId, ...wanted }: LoginIdentity,
  identity: KnownIdentity | undefined,
): Promise<void> {
  if (roundedId === undefined || identity?.isExact === true) return;
  // An id that is no rounded number was never made of one: the large number is that of another claim, or the id was stored by hand.
  if (wanted.uniqueId === roundedId ? !mayBeRounded(roundedId) : identity !== undefined) return;
  const userId = await findInexactIdentity(queries, { ...wanted, uniqueId: roundedId });
  if (userId !== undefined) throw new MergedUserError(userId, { uniqueId: wanted.uniqueId, roundedId });
}

/** Numbers as a double prints them: with an exponent from 1e21 on. `+` is encoded in ids. */
const NUMBER = /\d+(?:\.\d+)?(?:e(?:\+|%2B)\d+)?/gi;

/** Whether an id contains a number that may have been rounded. */
export function mayBeRounded(id: string): boolean {
  if (/^-?Infinity$/.test(id)) return true;
  return Array.from(id.matchAll(NUMBER), ([text]) => text.replace(/%2B/i, "+")).some(
    (text) => Number(text) > Number.MAX_SAFE_INTEGER && String(Number(text)) === text,
  );
}

export interface MergedCandidate extends FederatedIdentity {
  readonly userId: string;
}

/** Users with such an id, from before ids were exact. */
export async function mergedCandidates(queries: Queries): Promise<MergedCandidate[]> {
  return (await inexactIdentities(queries)).filter(({ uniqueId }) => mayBeRounded(uniqueId));
}
