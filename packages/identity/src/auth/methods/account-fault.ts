/** Why an account may not log in, whatever it proves. */
import type { Moment } from "../../platform/clock.js";
import { isInactive, lockedUntil, type PasswordRules } from "../../passwords/password-rules.js";
import type { Account } from "../../users/account-store.js";

export type AccountFault = "locked" | "disabled" | "domain disabled";

/** `undefined` if the account may log in. */
export function accountFault(
  { user, isDomainEnabled, failures }: Account,
  rules: PasswordRules,
  now: Moment,
): AccountFault | undefined {
  const exceptions = user.options;
  if (lockedUntil(rules, failures, { now, exceptions }) !== null) return "locked";
  if (!isDomainEnabled) return "domain disabled";
  return !user.enabled || isInactive(rules, user, { now, exceptions }) ? "disabled" : undefined;
}
