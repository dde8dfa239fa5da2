/** Users of workloads: those without a row, and the bound on those with one. */
import type { Platform } from "../../area.js";
import type { Moment } from "../../platform/clock.js";
import { unstoredUserId, type ShadowUser, type ShadowUsers } from "../../users/federated/shadow-users.js";
import { TooManyWorkloadsError } from "../../users/federated/workload-users.js";
import type { Workload } from "../assertion-verifier.js";
import { AssertionForbiddenError } from "../federation-errors.js";
import type { AppliedLogin, RehearsedLogin } from "./login-plan.js";
import type { FoundReferences } from "./mapped-references.js";

/**
 * A user without a row (`"persist_user": false`): the token carries name, domain and groups.
 *
 * @throws {AssertionForbiddenError} The mapping grants roles in projects, which need a row.
 */
export function withoutRow(
  user: ShadowUser,
  { projects, groupIds, isComplete }: FoundReferences,
): AppliedLogin {
  if (projects.length > 0)
    throw new AssertionForbiddenError({
      step: "projects",
      reason: `the mapping grants roles in ${projects.length} projects to the user, expected groups ("persist_user" is false)`,
    });
  const { name, domainId } = user;
  const unstoredUser = { name, domainId };
  return { userId: unstoredUserId(user), groupIds, isComplete, validUntil: Infinity, unstoredUser };
}

export interface WorkloadRoomDeps extends Pick<Platform, "clock"> {
  readonly shadowUsers: Pick<ShadowUsers, "deleteUnused" | "hasUnused">;
}

/** A protocol at its bound is searched for unused users this often. */
const SEARCH_MS = 60_000;
/** Protocols whose last search is known. */
const MAX_SEARCHED = 1000;

/** Logins of workloads. Where the protocol has no room for another user, unused ones are deleted first. */
export interface WorkloadRoom {
  /** @throws {AssertionForbiddenError} There is still no room. */
  apply(apply: () => Promise<AppliedLogin>, user: ShadowUser, workload: Workload): Promise<AppliedLogin>;
  /** Deletes nothing, and says so. @throws {AssertionForbiddenError} There is no room, and no unused user. */
  rehearse(
    rehearse: (user: ShadowUser) => Promise<RehearsedLogin>,
    user: ShadowUser,
    workload: Workload,
  ): Promise<RehearsedLogin>;
}

export function createWorkloadRoom({ clock, shadowUsers }: WorkloadRoomDeps): WorkloadRoom {
  const searched = new Map<string, Moment>();

  /** @returns Whether there is room again. */
  async function makeRoom({ idpId, protocolId }: ShadowUser, { unusedDays }: Workload): Promise<boolean> {
    const key = JSON.stringify([idpId, protocolId]);
    const now = clock.now();
    if (now < (searched.get(key) ?? -Infinity) + SEARCH_MS) return false;
    searched.delete(key);
    searched.set(key, now);
    const [oldest] = searched.keys();
    if (searched.size > MAX_SEARCHED && oldest !== undefined) searched.delete(oldest);
    try {
      return (await shadowUsers.deleteUnused({ idpId, protocolId, unusedDays })) > 0;
    } catch (error) {
      // Such as a conflict with logins at another process: the next login goes on where this one ended.
      searched.delete(key);
      throw error;
    }
  }

  return {
    async apply(apply, user, workload) {
      try {
        return await apply();
      } catch (cause) {
        if (!(cause instanceof TooManyWorkloadsError)) throw cause;
        if (!(await makeRoom(user, workload))) throw noRoom(workload, cause);
      }
      return apply().catch((cause: unknown) => {
        throw cause instanceof TooManyWorkloadsError ? noRoom(workload, cause) : cause;
      });
    },

    async rehearse(rehearse, user, workload) {
      try {
        return await rehearse(user);
      } catch (cause) {
        if (!(cause instanceof TooManyWorkloadsError)) throw cause;
        const { idpId, protocolId } = user;
        if (!(await shadowUsers.hasUnused({ idpId, protocolId, unusedDays: workload.unusedDays })))
          throw noRoom(workload, cause);
      }
      const rehearsed = await rehearse({ ...user, maxWorkloads: Infinity });
      const deletion = { action: "delete", resource: "user", name: UNUSED } as const;
      return { ...rehearsed, effects: [deletion, ...rehearsed.effects] };
    },
  };
}

/** What a rehearsal names the users that a login would delete. */
const UNUSED = "unused workloads";

function noRoom({ maxUsers, unusedDays }: Workload, cause: Error): AssertionForbiddenError {
  const reason = `the protocol has ${maxUsers} users, each used in the last ${unusedDays} days, expected fewer (max_users, unused_days)`;
  return new AssertionForbiddenError({ step: "workload", reason }, { cause });
}
