/** Group memberships that an identity provider's assertions give: how long they last, when they are renewed, and when they are deleted. */
import type { Platform } from "../../area.js";
import {
  deleteEndedMemberships,
  expiringMemberships,
  insertExpiringMemberships,
  replaceExpiringMemberships,
} from "../../groups/membership-store.js";
import { isImportUnfinished } from "../../passwords/unfinished-import-store.js";
import { MINUTE_MS, type Moment } from "../../platform/clock.js";
import type { Queries, Topic, Transaction } from "../../platform/database/database.js";
import type { RevokeTokens } from "../../policy/revoke-tokens.js";
import type { LoginEffect, LoginStep } from "./login-step.js";

/** The stored expiry of memberships that only count for the login's own tokens. */
const NO_END = 0;
const RENEWED: LoginEffect = { action: "update", resource: "group memberships" };

/** @param authorizationTtl Of the provider, in minutes. */
export function membershipLifetimeMs(authorizationTtl: number | null): number {
  return (authorizationTtl ?? 0) * MINUTE_MS;
}

export interface AssertedGroups {
  readonly groupIds: readonly string[];
  /** How long the memberships outlive the login, in addition to its own token; 0 for not at all. */
  readonly groupsLifetimeMs: number;
}

export interface MembershipContext {
  readonly userId: string;
  /** Expiries of the user's memberships, by group. */
  readonly known: ReadonlyMap<string, Moment>;
  /** Whether the login creates the user. */
  readonly isNew: boolean;
  readonly now: Moment;
  readonly revokeTokens: RevokeTokens;
}

/** Plans the writes of a login. Memberships are renewed shortly before they expire, so that not every login writes. */
export function planMemberships(
  { groupIds, groupsLifetimeMs }: AssertedGroups,
  { userId, known, isNew, now, revokeTokens }: MembershipContext,
): { readonly steps: readonly LoginStep[]; readonly validUntil: Moment } {
  const expiresAt = groupsLifetimeMs === 0 ? NO_END : now + groupsLifetimeMs;
  const patienceMs = Math.min(MINUTE_MS, groupsLifetimeMs / 10);
  const write = (transaction: Queries) =>
    (isNew ? insertExpiringMemberships : replaceExpiringMemberships)(transaction, userId, {
      groupIds,
      expiresAt,
    });
  const isSame = known.size === groupIds.length && groupIds.every((id) => known.has(id));
  if (!isSame) {
    const run = async (transaction: Transaction) => {
      await write(transaction);
      // Older tokens would keep groups that the provider no longer asserts.
      if (known.size > 0) await revokeTokens(transaction, { userId });
    };
    const changes: readonly Topic[] = isNew ? [] : ["facts", "revocations"];
    const effect = { action: isNew ? "create" : "update", resource: "group memberships" } as const;
    return { steps: [{ effect, changes, run }], validUntil: now + patienceMs };
  }
  const soonest = Math.min(...known.values());
  const renewal = { effect: RENEWED, changes: ["facts"] as const, run: write };
  if (groupIds.length === 0 || groupsLifetimeMs === 0) {
    // Expiries that were stored while memberships had a lifetime would end those of tokens.
    const haveNoEnd = [...known.values()].every((end) => end === NO_END);
    return haveNoEnd ? { steps: [], validUntil: Infinity } : { steps: [renewal], validUntil: Infinity };
  }
  const isDue = soonest < expiresAt - patienceMs || soonest > expiresAt;
  return isDue
    ? { steps: [renewal], validUntil: now + patienceMs }
    : { steps: [], validUntil: soonest - groupsLifetimeMs + patienceMs };
}

/** The expiries of the user's memberships, past or future, by group; without those that last as long as a token. */
export async function membershipEnds(queries: Queries, userId: string): Promise<ReadonlyMap<string, Moment>> {
  const known = await expiringMemberships(queries, userId);
  return new Map([...known].filter(([, end]) => end !== NO_END));
}

/**
 * Deletes some memberships that ended so long ago that no token has their groups: an older one would have them without an end.
 * Not while an import is unfinished: a later one would take it for a change made here.
 *
 * @returns Whether there may be more.
 */
export async function purgeMemberships(
  { database, clock }: Pick<Platform, "database" | "clock">,
  retentionMs: number,
): Promise<boolean> {
  if (await isImportUnfinished(database)) return false;
  return deleteEndedMemberships(database, { after: NO_END, before: clock.now() - retentionMs });
}
