/**
 * Users of identity providers, as they are known here: made at their first login, and brought up to date by the later ones.
 *
 * What a login would change is planned by reading alone, so that one which changes nothing writes nothing.
 */
import { createHash } from "node:crypto";

import type { Clock, Moment } from "../platform/clock.js";
import type { Database, Queries, Topic } from "../platform/database/database.js";
import type { ShadowUsersOf } from "../identity-providers/shadow-users.js";
import type { EndTokens } from "../policy/token-ends.js";
import { isSameDay, type PasswordRules } from "../passwords/password-rules.js";
import {
  deleteIdentities,
  expiringMemberships,
  findShadowUser,
  findUserIdOf,
  identitiesOf,
  insertExpiringMemberships,
  insertIdentity,
  replaceExpiringMemberships,
} from "./shadow-user-store.js";
import {
  deleteUser,
  findUser,
  insertUser,
  setLastActive,
  updateUser,
  type FederatedIdentity,
  type User,
} from "./user-store.js";

/** Whom a login is of. */
export interface ShadowUser extends FederatedIdentity {
  readonly name: string;
  readonly email: string | undefined;
  readonly domainId: string;
  /** Whether everybody who comes this way is of that domain, so that nobody of the same name is of another one. */
  readonly isDomainFixed: boolean;
  readonly groupIds: readonly string[];
  /** For how long a login has somebody be in the groups, beside its own token; 0 for not at all. */
  readonly groupsLifetimeMs: number;
}

/** A part of a login that has to be written. */
export interface LoginStep {
  /** What it may change of what is remembered. */
  readonly changes: readonly Topic[];
  run(transaction: Queries): Promise<unknown>;
}

/** What a login makes of a user. */
export interface ShadowPlan {
  readonly userId: string;
  readonly isNew: boolean;
  /** None, if everything is as it should be. */
  readonly steps: readonly LoginStep[];
  /** When there is something to write at the latest, though nothing else changes. */
  readonly goodUntil: Moment;
}

/** The user's id is that of a user of another domain, or whom somebody else has brought. */
export class ForeignUserError extends Error {
  override readonly name = "ForeignUserError";
}

export interface ShadowUsersDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: Pick<PasswordRules, "inactiveDays">;
  readonly endTokens: EndTokens;
}

export type ShadowUsers = ReturnType<typeof createShadowUsers>;

/** What is written for nobody to see, or for tokens that there are not yet. */
const UNSEEN = [] as const;
/** What is stored as the end of a membership that counts for tokens alone, as long as they live. */
const NO_END = 0;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export function createShadowUsers({ database, clock, rules, endTokens }: ShadowUsersDeps) {
  /** Groups are renewed a little before it is time, so that not every login has to write. */
  function planGroups(
    userId: string,
    { groupIds, groupsLifetimeMs }: ShadowUser,
    { known, isNew, now }: { known: ReadonlyMap<string, Moment>; isNew: boolean; now: Moment },
  ): { readonly steps: readonly LoginStep[]; readonly goodUntil: Moment } {
    const expiresAt = groupsLifetimeMs === 0 ? NO_END : now + groupsLifetimeMs;
    const patienceMs = Math.min(MINUTE_MS, groupsLifetimeMs / 10);
    const write = (transaction: Queries) =>
      (isNew ? insertExpiringMemberships : replaceExpiringMemberships)(transaction, userId, {
        groupIds,
        expiresAt,
      });
    const isSame = known.size === groupIds.length && groupIds.every((id) => known.has(id));
    if (!isSame) {
      const run = async (transaction: Queries) => {
        await write(transaction);
        // Tokens from before would keep what the provider has taken away meanwhile.
        if (!isNew) await endTokens(transaction, { userId });
      };
      const changes: readonly Topic[] = isNew ? UNSEEN : ["facts", "revocations"];
      return { steps: [{ changes, run }], goodUntil: now + patienceMs };
    }
    const soonest = Math.min(...known.values());
    if (groupIds.length === 0 || groupsLifetimeMs === 0) {
      // Ends from before, when there was a time for groups, would end those of tokens.
      const haveNoEnd = [...known.values()].every((end) => end === NO_END);
      return haveNoEnd
        ? { steps: [], goodUntil: Infinity }
        : { steps: [{ changes: ["facts"], run: write }], goodUntil: Infinity };
    }
    const isDue = soonest < expiresAt - patienceMs || soonest > expiresAt;
    return isDue
      ? { steps: [{ changes: ["facts"], run: write }], goodUntil: now + patienceMs }
      : { steps: [], goodUntil: soonest - groupsLifetimeMs + patienceMs };
  }

  /** The day of the last login counts where those who stay away are shut out. */
  function noteActivity({ id, lastActiveAt }: User, now: Moment) {
    if (rules.inactiveDays === undefined) return { steps: [], goodUntil: Infinity };
    const goodUntil = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const run = (transaction: Queries) => setLastActive(transaction, id, now);
    return { steps: isSameDay(lastActiveAt, now) ? [] : [{ changes: UNSEEN, run }], goodUntil };
  }

  return {
    /**
     * What there is to do for a login of a user.
     *
     * @throws {ForeignUserError}
     */
    async plan(queries: Queries, wanted: ShadowUser): Promise<ShadowPlan> {
      const now = clock.now();
      const { user, isNew, isOurs, steps } = await findOrPlan(queries, wanted, now);
      const known = await expiringMemberships(queries, user.id);
      const groups = planGroups(user.id, wanted, { known, isNew, now });
      const activity = noteActivity(user, now);
      return {
        userId: user.id,
        isNew,
        steps: [...steps, ...(isOurs ? [] : describe(user, wanted)), ...groups.steps, ...activity.steps],
        goodUntil: Math.min(groups.goodUntil, activity.goodUntil),
      };
    },

    /** When the user's memberships end, or have ended, by their groups; without those that last as long as a token. */
    async membershipEnds(userId: string): Promise<ReadonlyMap<string, Moment>> {
      const known = await expiringMemberships(database, userId);
      return new Map([...known].filter(([, end]) => end !== NO_END));
    },

    identitiesOf: (userIds: readonly string[]) => identitiesOf(database, userIds),

    /**
     * Ends users in the transaction of the change that ends them. One who may also come by another protocol is not ended, and
     * whom an administrator has made is not deleted.
     */
    async endShadowUsers(transaction: Queries, of: ShadowUsersOf): Promise<readonly string[]> {
      const lost = await deleteIdentities(transaction, of);
      for (const id of lost)
        if ((await findShadowUser(transaction, id)) !== undefined) await deleteUser(transaction, id);
      return lost;
    },
  };
}

/** The id that Keystone gives the same user. */
export function shadowUserId({ domainId, uniqueId }: Pick<ShadowUser, "domainId" | "uniqueId">): string {
  return createHash("sha256").update(`${domainId}user${uniqueId}`).digest("hex");
}

function newcomer(id: string, { name, email, domainId }: ShadowUser, now: Moment): User {
  return {
    id,
    name,
    domainId,
    enabled: true,
    defaultProjectId: null,
    options: {},
    extra: email === undefined ? {} : { email },
    createdAt: now,
    lastActiveAt: now,
    passwordExpiresAt: null,
  };
}

/** What brings up to date what is shown of a user. */
function describe(user: User, { name, email }: ShadowUser): LoginStep[] {
  const known = user.extra["email"];
  if (user.name === name && (email === undefined || known === email)) return [];
  const extra = email === undefined ? user.extra : { ...user.extra, email };
  return [{ changes: ["facts"], run: (transaction) => updateUser(transaction, { ...user, name, extra }) }];
}

/** @throws {ForeignUserError} Another provider, or an administrator, has made a user of this id. */
async function planNew(queries: Queries, wanted: ShadowUser, now: Moment) {
  const userId = shadowUserId(wanted);
  const known = await findShadowUser(queries, userId);
  const link = { changes: UNSEEN, run: (t: Queries) => insertIdentity(t, userId, wanted) };
  if (known === undefined) {
    const user = newcomer(userId, wanted, now);
    const insert = async (transaction: Queries) => {
      if (!(await insertUser(transaction, user, { isFederated: true }))) throw new ForeignUserError(userId);
    };
    return { user, isNew: true, steps: [{ changes: UNSEEN, run: insert }, link] };
  }
  const identities = (await identitiesOf(queries, [userId])).get(userId) ?? [];
  if (!identities.some(({ idpId }) => idpId === wanted.idpId)) throw new ForeignUserError(userId);
  return { user: known, isNew: false, steps: [link] };
}

/** @throws {ForeignUserError} The provider knows a user of another domain by this id. */
async function findOrPlan(queries: Queries, wanted: ShadowUser, now: Moment) {
  const id = await findUserIdOf(queries, wanted);
  const shadow = id === undefined ? undefined : await findShadowUser(queries, id);
  const isOfDomain = wanted.isDomainFixed || shadow?.domainId === wanted.domainId;
  if (shadow !== undefined && !isOfDomain) throw new ForeignUserError(shadow.id);
  if (shadow !== undefined) return { user: shadow, isNew: false, isOurs: false, steps: [] };
  // An administrator has made the user, and said who that is at the provider: name and address stay as they are.
  const ours = id === undefined ? undefined : await findUser(queries, id);
  if (ours !== undefined) return { user: ours, isNew: false, isOurs: true, steps: [] };
  return { ...(await planNew(queries, wanted, now)), isOurs: false };
}
