/** The rules for memberships of groups. */
import type { Clock, Moment } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import {
  addMember,
  expiringMemberships,
  groupIdsOf,
  isMember,
  removeMember,
  type Membership,
} from "../groups/membership-store.js";
import { NotInGroupError } from "./user-errors.js";

export interface MembershipServiceDeps {
  readonly database: Database;
  /** @throws {NotFoundError} */
  readonly groups: { getGroup(id: string): Promise<unknown> };
  /** @throws {NotFoundError} */
  readonly users: { getUser(id: string): Promise<unknown> };
  readonly revokeTokens: RevokeTokens;
  readonly clock: Clock;
}

export type MembershipService = ReturnType<typeof createMembershipService>;

export function createMembershipService(deps: MembershipServiceDeps) {
  const { database, groups, users, revokeTokens, clock } = deps;

  async function requireBoth({ groupId, userId }: Membership): Promise<void> {
    await groups.getGroup(groupId);
    await users.getUser(userId);
  }

  return {
    async add(membership: Membership): Promise<void> {
      await requireBoth(membership);
      await database.transaction((transaction) => addMember(transaction, membership));
    },

    /** The expiries of a user's memberships, by group; without groups of which the user is also a permanent member. */
    async endsOf(userId: string): Promise<ReadonlyMap<string, Moment>> {
      const ends = await expiringMemberships(database, userId);
      if (ends.size > 0) for (const id of await groupIdsOf(database, userId)) ends.delete(id);
      return ends;
    },

    /** @throws {NotInGroupError} */
    async check(membership: Membership): Promise<void> {
      await requireBoth(membership);
      if (!(await isMember(database, membership, clock.now())))
        throw new NotInGroupError(membership.userId, membership.groupId);
    },

    /** Revokes the user's tokens, whose roles may come from the group. */
    async remove(membership: Membership): Promise<void> {
      await requireBoth(membership);
      await database.transaction(
        async (transaction) => {
          if (!(await removeMember(transaction, membership)))
            throw new NotInGroupError(membership.userId, membership.groupId);
          await revokeTokens(transaction, { userId: membership.userId });
        },
        { changes: ["facts", "revocations"] },
      );
    },
  };
}
