/** Users of workloads: those without a row, and the bound on those with one. */
import type { Clock, Moment } from "../../platform/clock.js";
import { unstoredUserId, type ShadowUser, type ShadowUsers } from "../../users/federated/shadow-users.js";
import { TooManyWorkloadsError } from "../../users/federated/workload-users.js";
import type { Workload } from "../assertion-verifier.js";
import { AssertionForbiddenError } from "../federation-errors.js";
import type { AppliedLogin } from "./login-plan.js";
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

export interface WorkloadRoomDeps {
  readonly clock: Clock;
  readonly shadowUsers: Pick<ShadowUsers, "deleteUnused">;
}

/** A protocol at its bound is searched for unused users this often. */
const SEARCH_MS = 60_000;
/** Protocols whose last search is known. */
const MAX_SEARCHED = 1000;

/**
 * Applies the login of a workload. Where the protocol has no room for another user, unused ones are deleted first.
 *
 * @returns A function that throws {@link AssertionForbiddenError} if there is still no room.
 */
export function createWorkloadRoom({ clock, shadowUsers }: WorkloadRoomDeps) {
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
    return (await shadowUsers.deleteUnused({ idpId, protocolId, unusedDays })) > 0;
  }

  return async (
    apply: () => Promise<AppliedLogin>,
    user: ShadowUser,
    workload: Workload,
  ): Promise<AppliedLogin> => {
    try {
      try {
        return await apply();
      } catch (error) {
        if (!(error instanceof TooManyWorkloadsError) || !(await makeRoom(user, workload))) throw error;
        return await apply();
      }
    } catch (cause) {
      if (!(cause instanceof TooManyWorkloadsError)) throw cause;
      const reason = `the protocol has ${workload.maxUsers} users, each used in the last ${workload.unusedDays} days, expected fewer (max_users, unused_days)`;
      throw new AssertionForbiddenError({ step: "workload", reason }, { cause });
    }
  };
}
