/** Lockout of accounts after failed logins, and for inactivity: pure functions of moments and counters. */
import type { Moment } from "../platform/clock.js";
import { dayOf, type PasswordExceptions, type PasswordRules } from "./password-rules.js";

/** The failed logins of a user since the last successful one. */
export interface LoginFailures {
  readonly count: number;
  /** `null` if none. */
  readonly lastAt: Moment | null;
}

/** The state after a successful login, an expired lockout or re-enabling. */
export const NO_FAILURES: LoginFailures = { count: 0, lastAt: null };

/** Until when an account is locked: a future moment, `Infinity` if until re-enabled, `null` if not locked. */
export function lockedUntil(
  { lockoutAttempts, lockoutSeconds }: PasswordRules,
  { count, lastAt }: LoginFailures,
  { now, exceptions = {} }: { now: Moment; exceptions?: PasswordExceptions },
): Moment | null {
  if (lockoutAttempts === undefined || exceptions.ignore_lockout_failure_attempts === true) return null;
  if (count < lockoutAttempts || lastAt === null) return null;
  if (lockoutSeconds === null) return Infinity;
  const until = lastAt + lockoutSeconds * 1000;
  return until > now ? until : null;
}

/**
 * The failures after one more. During a lockout they don't change, or an attacker could keep the account locked forever. After
 * a lockout they start again.
 */
export function afterFailedLogin(rules: PasswordRules, failures: LoginFailures, now: Moment): LoginFailures {
  if (rules.lockoutAttempts === undefined || failures.count < rules.lockoutAttempts)
    return { count: failures.count + 1, lastAt: now };
  return lockedUntil(rules, failures, { now }) === null ? { count: 1, lastAt: now } : failures;
}

/** A user's last activity. */
export interface Activity {
  /** The last successful login, or enabling by an administrator; `null` if none. */
  readonly lastActiveAt: Moment | null;
  readonly createdAt: Moment;
}

/** Whether an account counts as disabled for inactivity. */
export function isInactive(
  { inactiveDays }: PasswordRules,
  { lastActiveAt, createdAt }: Activity,
  { now, exceptions = {} }: { now: Moment; exceptions?: PasswordExceptions },
): boolean {
  if (inactiveDays === undefined || exceptions.ignore_user_inactivity === true) return false;
  return dayOf(now) - dayOf(lastActiveAt ?? createdAt) >= inactiveDays;
}
