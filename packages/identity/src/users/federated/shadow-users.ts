/**
 * Shadow users: just-in-time (JIT) provisioned at the first login through an identity provider, and updated by later logins.
 *
 * Reads first and plans the writes. A returning user usually needs none.
 */
import { createHash } from "node:crypto";

import type { Platform } from "../../area.js";
import { expiringMemberships } from "../../groups/membership-store.js";
import type { ShadowUsersOf } from "../../identity-providers/shadow-user-deletion.js";
import type { PasswordRules } from "../../passwords/password-rules.js";
import { DAY_MS, isSameDay, type Moment } from "../../platform/clock.js";
import type { Queries, Transaction } from "../../platform/database/database.js";
import type { RevokeTokens } from "../../policy/revoke-tokens.js";
import {
  deleteUser,
  findUser,
  insertUser,
  setLastActive,
  updateUser,
  type FederatedIdentity,
  type User,
} from "../user-store.js";
import {
  membershipEnds,
  planMemberships,
  purgeMemberships,
  type AssertedGroups,
} from "./expiring-memberships.js";
import type { LoginStep } from "./login-step.js";
import { requireNotMerged } from "./merged-users.js";
import {
  findProvisionedId,
  findProvisionedUser,
  keysOfLogin,
  provisioningProviderOf,
} from "./provisioned-user-store.js";
import {
  countUsersOf,
  deleteIdentities,
  findShadowUser,
  findIdentity,
  identitiesOf,
  insertIdentity,
  type KnownIdentity,
} from "./shadow-user-store.js";
import {
  deleteUnusedWorkloads,
  hasUnusedWorkloads,
  noteLogin,
  NOTED_LOGIN,
  requireRoom,
  type LoginIdentity,
  type UnusedWorkloads,
} from "./workload-users.js";

/** The user whom a login asserts. */
export interface ShadowUser extends LoginIdentity, AssertedGroups {
  readonly name: string;
  readonly email: string | undefined;
  readonly domainId: string;
  /** Whether all users of the protocol belong to that domain, so that a unique id is never one of another domain. */
  readonly isDomainFixed: boolean;
}

/** The plan of a login. */
export interface ShadowPlan {
  readonly userId: string;
  readonly isNew: boolean;
  /** Empty if nothing changes. */
  readonly steps: readonly LoginStep[];
  /** When the next write is due even if nothing else changes. */
  readonly validUntil: Moment;
}

/** Whose user has the id of a login already, for administrators. */
export interface ForeignUser {
  /** The login's user at the provider, and the domain that the mapping or the provider gives it. */
  readonly wanted: Pick<ShadowUser, "uniqueId" | "domainId">;
  /** The domain of the user with that id. */
  readonly domainId: string;
  /** The providers of that user; empty if an administrator created it. */
  readonly idpIds: readonly string[];
}

/** The user id already belongs to another provider or domain. */
export class ForeignUserError extends Error {
  override readonly name = "ForeignUserError";
  readonly foreign: ForeignUser;
  constructor(foreign: ForeignUser) {
    super("the user id already belongs to another provider or domain");
    this.foreign = foreign;
  }
}

export interface ShadowUsersDeps extends Pick<Platform, "database" | "clock"> {
  readonly rules: Pick<PasswordRules, "inactiveDays">;
  readonly revokeTokens: RevokeTokens;
  /** Called in the transaction that deletes a user: deletes what refers to it. */
  readonly onUserDeleted: (transaction: Transaction, userId: string) => Promise<void>;
}

export type ShadowUsers = ReturnType<typeof createShadowUsers>;

/** Changes of nothing that existing tokens show. */
const UNSEEN = [] as const;

export function createShadowUsers(deps: ShadowUsersDeps) {
  const { database, clock, rules, revokeTokens, onUserDeleted } = deps;

  /** Stores the day of the last login, if inactive users are disabled. */
  function noteActivity({ id, lastActiveAt }: User, now: Moment) {
    if (rules.inactiveDays === undefined) return { steps: [], validUntil: Infinity };
    const validUntil = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
    const run = (transaction: Queries) => setLastActive(transaction, id, now);
    const steps = isSameDay(lastActiveAt, now) ? [] : [{ effect: NOTED_LOGIN, changes: UNSEEN, run }];
    return { steps, validUntil };
  }

  return {
    /**
     * Plans the writes of a login.
     *
     * @throws {ForeignUserError} {@link MergedUserError}
     */
    async plan(queries: Queries, wanted: ShadowUser): Promise<ShadowPlan> {
      const now = clock.now();
      const identity = await findIdentity(queries, wanted);
      await requireNotMerged(queries, wanted, identity);
      const { user, isNew, isLocal, steps } = await findOrPlan(queries, { wanted, identity, now });
      const known = await expiringMemberships(queries, user.id);
      const groups = planMemberships(wanted, { userId: user.id, known, isNew, now, revokeTokens });
      const described = isLocal ? [] : await describe(queries, user, wanted);
      const activity = noteActivity(user, now);
      const use = noteLogin(identity, wanted, now);
      return {
        userId: user.id,
        isNew,
        steps: [...steps, ...described, ...groups.steps, ...activity.steps, ...use.steps],
        validUntil: Math.min(groups.validUntil, activity.validUntil, use.validUntil),
      };
    },

    membershipEnds: (userId: string) => membershipEnds(database, userId),

    purgeMemberships: (retentionMs: number) => purgeMemberships(deps, retentionMs),

    identitiesOf: (userIds: readonly string[]) => identitiesOf(database, userIds),

    /** The number of users of a provider. */
    countUsers: (idpId: string): Promise<number> => countUsersOf(database.forLists, idpId),

    /**
     * Deletes identities, and shadow users who have none left, in the caller's transaction. Users whom an administrator has
     * created, or a provider pushed by SCIM, are not deleted.
     *
     * @returns The ids of all users who have no identity left.
     */
    async endShadowUsers(transaction: Transaction, of: ShadowUsersOf): Promise<readonly string[]> {
      const lost = await deleteIdentities(transaction, of);
      await endUsers(transaction, lost);
      return lost;
    },

    /** Whether {@link deleteUnused} would delete any. */
    hasUnused: (unused: UnusedWorkloads): Promise<boolean> => hasUnusedWorkloads({ database, clock }, unused),

    deleteUnused: (unused: UnusedWorkloads): Promise<number> =>
      deleteUnusedWorkloads({ database, clock, revokeTokens, endUsers }, unused),
  };

  async function endUsers(transaction: Transaction, ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if ((await findShadowUser(transaction, id)) === undefined) continue;
      // A provider that pushes its users deletes them itself.
      if ((await provisioningProviderOf(transaction, id)) !== undefined) continue;
      await onUserDeleted(transaction, id);
      await deleteUser(transaction, id);
    }
  }
}

/** The user id; the same as in Keystone. */
export function shadowUserId({ domainId, uniqueId }: Pick<ShadowUser, "domainId" | "uniqueId">): string {
  return createHash("sha256").update(`${domainId}user${uniqueId}`).digest("hex");
}

/**
 * The id of a user without a row, for whom no unique constraint excludes other providers: it depends on provider and protocol too. No
 * stored user has it, because no id at a provider contains a line break.
 */
export function unstoredUserId({
  domainId,
  idpId,
  protocolId,
  uniqueId,
}: FederatedIdentity & { readonly domainId: string }): string {
  const parts = [idpId, protocolId, uniqueId].map(encodeURIComponent);
  return shadowUserId({ domainId, uniqueId: parts.join("\n") });
}

function newUser(id: string, { name, email, domainId }: ShadowUser, now: Moment): User {
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

/** The update of a shadow user's name and address. Those of a user whom the provider pushes by SCIM stay as they were pushed. */
async function describe(queries: Queries, user: User, { name, email }: ShadowUser): Promise<LoginStep[]> {
  const known = user.extra["email"];
  if (user.name === name && (email === undefined || known === email)) return [];
  if ((await provisioningProviderOf(queries, user.id)) !== undefined) return [];
  const extra = email === undefined ? user.extra : { ...user.extra, email };
  const effect = { action: "update", resource: "user", name } as const;
  const run = (transaction: Queries) => updateUser(transaction, { ...user, name, extra });
  return [{ effect, changes: ["facts"], run }];
}

/** @throws {ForeignUserError} A user of this id belongs to another provider, or was created by an administrator. */
async function planNew(queries: Queries, wanted: ShadowUser, now: Moment) {
  const { userId, known } = await findById(queries, wanted);
  const link = linkTo(userId, wanted, now);
  const { name } = wanted;
  if (known === undefined) {
    const user = newUser(userId, wanted, now);
    const conflict = () => new ForeignUserError({ wanted, domainId: wanted.domainId, idpIds: [] });
    const insert = (transaction: Queries) => insertUser(transaction, user, { isFederated: true, conflict });
    const effect = { action: "create", resource: "user", name } as const;
    return { user, isNew: true, steps: [{ effect, changes: UNSEEN, run: insert }, link] };
  }
  return { user: known, isNew: false, steps: [link] };
}

/** The first login of a user by a protocol. */
function linkTo(userId: string, wanted: ShadowUser, now: Moment): LoginStep {
  const lastLoginAt = wanted.maxWorkloads === undefined ? null : now;
  const run = async (transaction: Queries) => {
    await requireRoom(transaction, wanted);
    await insertIdentity(transaction, userId, { ...wanted, lastLoginAt });
  };
  const effect = { action: "create", resource: "federated identity", name: wanted.uniqueId } as const;
  return { effect, changes: UNSEEN, run };
}

/**
 * The id of a user, and the user who has it by another protocol of the provider.
 *
 * @throws {ForeignUserError}
 */
async function findById(queries: Queries, wanted: ShadowUser) {
  const userId = shadowUserId(wanted);
  const known = await findShadowUser(queries, userId);
  if (known === undefined) return { userId, known };
  const ofAll = (await identitiesOf(queries, [userId])).get(userId) ?? [];
  const ids = ofAll.filter(({ idpId }) => idpId === wanted.idpId);
  if (ids.some(({ uniqueId }) => uniqueId === wanted.uniqueId)) return { userId, known };
  const pushed = await findProvisionedUser(queries, wanted.idpId, { column: "user_id", value: userId });
  if (ids.length === 0 && pushed === undefined) {
    const idpIds = [...new Set(ofAll.map(({ idpId }) => idpId))];
    throw new ForeignUserError({ wanted, domainId: known.domainId, idpIds });
  }
  // It was pushed a moment ago.
  if (pushed !== undefined && keysOfLogin(wanted.uniqueId).includes(pushed.uniqueKey))
    return { userId, known };
  // An administrator, or the provider by SCIM, has given that user another id at the provider: this is another user.
  const otherId = secondUserId(wanted);
  return { userId: otherId, known: await findShadowUser(queries, otherId) };
}

/** The id of a user where {@link shadowUserId} is that of a user who had this id at the provider before. */
export function secondUserId(user: Pick<ShadowUser, "domainId" | "uniqueId" | "idpId">): string {
  return shadowUserId({ ...user, uniqueId: `${user.uniqueId}\n${user.idpId}` });
}

/** @throws {ForeignUserError} The provider's user of this id belongs to another domain. */
async function findOrPlan(
  queries: Queries,
  { wanted, identity, now }: { wanted: ShadowUser; identity: KnownIdentity | undefined; now: Moment },
) {
  // A user whom the provider has pushed by SCIM may log in for the first time. Workloads are other subjects.
  const isPerson = wanted.maxWorkloads === undefined;
  const id = identity?.userId ?? (isPerson ? await findProvisionedId(queries, wanted) : undefined);
  const shadow = id === undefined ? undefined : await findShadowUser(queries, id);
  const isOfDomain = wanted.isDomainFixed || shadow?.domainId === wanted.domainId;
  if (shadow !== undefined && !isOfDomain)
    throw new ForeignUserError({ wanted, domainId: shadow.domainId, idpIds: [wanted.idpId] });
  if (shadow !== undefined) {
    const steps = identity === undefined ? [linkTo(shadow.id, wanted, now)] : [];
    return { user: shadow, isNew: false, isLocal: false, steps };
  }
  // An administrator has created the user and linked it to the provider: name and address stay.
  const local = id === undefined ? undefined : await findUser(queries, id);
  if (local !== undefined) return { user: local, isNew: false, isLocal: true, steps: [] };
  return { ...(await planNew(queries, wanted, now)), isLocal: false };
}
