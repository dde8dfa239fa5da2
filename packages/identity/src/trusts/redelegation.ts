/** Redelegation: a trustee passes a trust on, never with more than it has. */
import type { Moment } from "../platform/clock.js";
import { RedelegationError, TrustedRoleNotFoundError, type NewTrust, type Trust } from "./trust.js";

export interface RedelegationSettings {
  readonly isAllowed: boolean;
  /** How often a trust may be passed on. */
  readonly maxCount: number;
}

/**
 * How often a new trust may be passed on.
 *
 * @param source The trust that it is redelegated from.
 * @throws {RedelegationError}
 */
export function requireRedelegable(
  { allow_redelegation: isWanted, redelegation_count: count = null }: NewTrust,
  source: Trust | undefined,
  { isAllowed, maxCount }: RedelegationSettings,
): number {
  if (!isAllowed && (source !== undefined || isWanted === true))
    throw new RedelegationError("Redelegation of trusts is disabled");
  const max = source === undefined ? maxCount : Math.min(source.redelegationCount - 1, maxCount - 1);
  if (max < 0) throw new RedelegationError("The trust may not be redelegated");
  if (isWanted !== true || count === 0) return 0;
  if (source !== undefined && count !== null && count !== max)
    throw new RedelegationError("The redelegation_count of a redelegated trust can't be chosen");
  if (count !== null && count > max) throw new RedelegationError(`The redelegation_count is at most ${max}`);
  return count ?? max;
}

/** What a new trust passes on. */
interface Passed {
  readonly projectId: string | null;
  readonly roleIds: readonly string[];
  readonly impersonation: boolean;
  readonly remainingUses: number | null;
  readonly expiresAt: Moment | null;
}

/**
 * What a new trust passes on, no more than the trust that it is redelegated from.
 *
 * @throws {RedelegationError} {@link TrustedRoleNotFoundError} It is for another project.
 */
export function narrowed(
  { roleIds, ...passed }: Passed,
  from: { readonly source: Trust; readonly roleIds: readonly string[] } | undefined,
) {
  if (from === undefined) return { ...passed, redelegatedTrustId: null };
  const { source, roleIds: sourceRoles } = from;
  const { projectId, impersonation, remainingUses, expiresAt } = passed;
  // As in Keystone: the source has no roles there.
  if (projectId !== source.projectId) throw new TrustedRoleNotFoundError(roleIds.join(", "));
  if (remainingUses !== null)
    throw new RedelegationError("A redelegated trust has no remaining_uses of its own");
  if (impersonation && !source.impersonation)
    throw new RedelegationError("The redelegated trust allows no impersonation");
  if (!roleIds.every((id) => sourceRoles.includes(id)))
    throw new RedelegationError("Some of the roles are not in the redelegated trust");
  if (source.expiresAt !== null && (expiresAt ?? 0) > source.expiresAt)
    throw new RedelegationError("A redelegated trust expires no later than its source");
  return { ...passed, expiresAt: expiresAt ?? source.expiresAt, redelegatedTrustId: source.id };
}
