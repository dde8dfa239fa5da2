/** The rules for memberships of groups. */
import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import {
  addMember,
  expiringMemberships,
  groupIdsOf,
  isMember,
  membershipEvent,
  removeMember,
  type Membership,
} from "../groups/membership-store.js";
import { NotInGroupError } from "./user-errors.js";
import type { UserDirectories } from "./user-service.js";

export interface MembershipServiceDeps extends Pick<Platform, "database" | "clock"> {
  /** @throws {NotFoundError} */
  readonly groups: { getGroup(id: string): Promise<{ readonly domainId: string }> };
  /** @throws {NotFoundError} */
  readonly users: { getUser(id: string): Promise<{ readonly domainId: string }> };
  /** None, if left out. */
  readonly directories?:
    | (Pick<UserDirectories, "findUser" | "requireWritable"> & {
        /** @throws {ForbiddenError} One of the domains has a directory that the other has not. */
        requireSamePlace(domains: { readonly group: string; readonly user: string }): Promise<void>;
      })
    | undefined;
  readonly revokeTokens: RevokeTokens;
}

export type MembershipService = ReturnType<typeof createMembershipService>;

export function createMembershipService(deps: MembershipServiceDeps) {
  const { database, groups, users, revokeTokens, clock, directories } = deps;

  /** @returns The domain of the group. */
  async function requireBoth({ groupId, userId }: Membership): Promise<string> {
    const group = await groups.getGroup(groupId);
    const user = await users.getUser(userId);
    await directories?.requireSamePlace({ group: group.domainId, user: user.domainId });
    return group.domainId;
  }

  return {
    async add(membership: Membership): Promise<void> {
      const domainId = await requireBoth(membership);
      await directories?.requireWritable(domainId);
      await database.transaction(async (transaction) => {
        await addMember(transaction, membership);
        // As in Keystone, also of a user who is a member already.
        transaction.publish(membershipEvent(membership, "added"));
      });
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
      await directories?.findUser({ id: membership.userId }, { isFresh: true, withGroups: true });
      if (!(await isMember(database, membership, clock.now())))
        throw new NotInGroupError(membership.userId, membership.groupId);
    },

    /** Revokes the user's tokens, whose roles may come from the group. */
    async remove(membership: Membership): Promise<void> {
      const domainId = await requireBoth(membership);
      await directories?.requireWritable(domainId);
      await database.transaction(
        async (transaction) => {
          if (!(await removeMember(transaction, membership)))
            throw new NotInGroupError(membership.userId, membership.groupId);
          await revokeTokens(transaction, { userId: membership.userId });
          transaction.publish(membershipEvent(membership, "removed"));
        },
        { changes: ["facts", "revocations"] },
      );
    },
  };
}
