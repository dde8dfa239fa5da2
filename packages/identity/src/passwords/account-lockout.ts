/** Lockout of accounts after failed logins, and for inactivity: pure functions of moments and counters. */
import { dayOf, type Moment } from "../platform/clock.js";

/** How long a lockout lasts by default, as in Keystone. */
export const LOCKOUT_SECONDS = 1800;

/** The part of the password rules by which accounts are locked. */
export interface LockoutRules {
  /** Failed logins that lock an account; `undefined` if none do. */
  readonly lockoutAttempts: number | undefined;
  /** `null`: until an administrator enables the account. */
  readonly lockoutSeconds: number | null;
  /** Days without a login that disable an account; `undefined` if none do. */
  readonly inactiveDays: number | undefined;
}

/** Options of a user that exempt from them. */
export interface LockoutExceptions {
  readonly ignore_lockout_failure_attempts?: boolean;
  readonly ignore_user_inactivity?: boolean;
}

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
  { lockoutAttempts, lockoutSeconds }: LockoutRules,
  { count, lastAt }: LoginFailures,
  { now, exceptions = {} }: { now: Moment; exceptions?: LockoutExceptions },
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
export function afterFailedLogin(rules: LockoutRules, failures: LoginFailures, now: Moment): LoginFailures {
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
  { inactiveDays }: LockoutRules,
  { lastActiveAt, createdAt }: Activity,
  { now, exceptions = {} }: { now: Moment; exceptions?: LockoutExceptions },
): boolean {
  if (inactiveDays === undefined || exceptions.ignore_user_inactivity === true) return false;
  return dayOf(now) - dayOf(lastActiveAt ?? createdAt) >= inactiveDays;
}
