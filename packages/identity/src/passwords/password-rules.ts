/**
 * Rules for passwords and logins, as Keystone's section [security_compliance] has them: pure functions of moments, counters and hashes.
 *
 * A day is 24 hours from a moment on, and for inactivity the days of the calendar in UTC, as in Keystone.
 */
import type { Moment } from "../platform/clock.js";
import { compilePasswordPattern, type PasswordPattern } from "./password-pattern.js";

const DAY_MS = 86_400_000;

/** What an operator sets, by the names of Keystone's options; what is left out doesn't apply. */
export interface PasswordRuleOptions {
  /** What a password has to match. */
  readonly password_regex?: string;
  /** The same for people. */
  readonly password_regex_description?: string;
  /** A new password must differ from so many before it, the present one included; from 0 up, and 0 when left out. */
  readonly unique_last_password_count?: number;
  /** Days before a user may change a password again that the same user chose; 0 when left out. */
  readonly minimum_password_age?: number;
  /** Days after which a password has to be changed; from 1 up. */
  readonly password_expires_days?: number;
  /** Failed logins after which an account is locked; from 1 up. */
  readonly lockout_failure_attempts?: number;
  /** Seconds for which it is locked; from 1 up, and 1800 when left out; `null`: until it is enabled again by an administrator. */
  readonly lockout_duration?: number | null;
  /** Days without a login after which an account is disabled; from 1 up. */
  readonly disable_user_account_days_inactive?: number;
  /** Whether a password that an administrator set has to be changed before its first use; not when left out. */
  readonly change_password_upon_first_use?: boolean;
}

/** The rules, checked. */
export interface PasswordRules {
  readonly pattern: PasswordPattern | undefined;
  readonly patternDescription: string | undefined;
  readonly uniqueLastCount: number;
  readonly minimumAgeDays: number;
  readonly expiresDays: number | undefined;
  readonly lockoutAttempts: number | undefined;
  readonly lockoutSeconds: number | null;
  readonly inactiveDays: number | undefined;
  readonly changeUponFirstUse: boolean;
}

/** Exceptions for one user: the `options` of the user's record that concern passwords. */
export interface PasswordExceptions {
  readonly ignore_change_password_upon_first_use?: boolean;
  readonly ignore_password_expiry?: boolean;
  readonly ignore_lockout_failure_attempts?: boolean;
  readonly ignore_user_inactivity?: boolean;
  /** The user may not change the password; administrators may. */
  readonly lock_password?: boolean;
}

/** An option has a value it can't have. */
export class PasswordRulesError extends Error {
  override readonly name = "PasswordRulesError";
  readonly code = "password-rules/invalid";
  readonly option: keyof PasswordRuleOptions;

  constructor(option: keyof PasswordRuleOptions, value: unknown, expected: string) {
    super(`${option}: ${String(value)} is not ${expected}`);
    this.option = option;
  }
}

/**
 * The rules that options mean.
 *
 * @throws {PasswordRulesError} A number is out of its range, or the shortest age above the longest.
 * @throws {PasswordPatternError} The regular expression can't be used.
 */
export function createPasswordRules(options: PasswordRuleOptions = {}): PasswordRules {
  const { password_regex, lockout_duration = 1800 } = options;
  const rules: PasswordRules = {
    pattern: password_regex === undefined ? undefined : compilePasswordPattern(password_regex),
    patternDescription: options.password_regex_description,
    uniqueLastCount: wholeNumber(options, "unique_last_password_count", 0) ?? 0,
    minimumAgeDays: wholeNumber(options, "minimum_password_age", 0) ?? 0,
    expiresDays: wholeNumber(options, "password_expires_days", 1),
    lockoutAttempts: wholeNumber(options, "lockout_failure_attempts", 1),
    lockoutSeconds: lockout_duration === null ? null : (wholeNumber(options, "lockout_duration", 1) ?? 1800),
    inactiveDays: wholeNumber(options, "disable_user_account_days_inactive", 1),
    changeUponFirstUse: options.change_password_upon_first_use ?? false,
  };
  if (rules.expiresDays !== undefined && rules.minimumAgeDays >= rules.expiresDays)
    throw new PasswordRulesError(
      "minimum_password_age",
      rules.minimumAgeDays,
      `below password_expires_days (${rules.expiresDays}): no password could be changed in time`,
    );
  return rules;
}

type NumberOption = {
  [Option in keyof PasswordRuleOptions]-?: number extends PasswordRuleOptions[Option] ? Option : never;
}[keyof PasswordRuleOptions];

function wholeNumber(options: PasswordRuleOptions, name: NumberOption, least: number): number | undefined {
  const value = options[name] ?? undefined;
  if (value !== undefined && (!Number.isSafeInteger(value) || value < least))
    throw new PasswordRulesError(name, value, `a whole number from ${least}`);
  return value;
}

/** Whether a new password looks as it has to. */
export function isStrongEnough({ pattern }: PasswordRules, password: string): boolean {
  return pattern === undefined || pattern(password);
}

/** Whether a hash belongs to a password: {@link PasswordHasher.verify}. */
type VerifyPassword = (password: string, stored: string) => Promise<{ readonly matches: boolean }>;

/**
 * Whether a user had a password so recently that it can't be the new one.
 *
 * @param history The hashes of the user's passwords, the present one last.
 */
export async function isUsedRecently(
  { uniqueLastCount }: PasswordRules,
  { password, history, verify }: { password: string; history: readonly string[]; verify: VerifyPassword },
): Promise<boolean> {
  // The present one first: it is the one that is tried again most.
  for (const stored of lastOf(history, uniqueLastCount).toReversed())
    if ((await verify(password, stored)).matches) return true;
  return false;
}

/** The part of a history that is kept when a new password comes to it. */
export function historyToKeep<Entry>({ uniqueLastCount }: PasswordRules, history: readonly Entry[]): Entry[] {
  return lastOf(history, Math.max(uniqueLastCount, 1));
}

function lastOf<Entry>(entries: readonly Entry[], count: number): Entry[] {
  return entries.slice(Math.max(entries.length - count, 0));
}

/** How a user's present password came about. */
export interface PasswordOrigin {
  readonly createdAt: Moment;
  /** Whether the user chose it; otherwise an administrator did. */
  readonly isSelfService: boolean;
}

/** Days, rounded up, until a user may change the password; 0 if at once. */
export function daysUntilChangeable(
  { minimumAgeDays }: PasswordRules,
  { createdAt, isSelfService }: PasswordOrigin,
  now: Moment,
): number {
  if (!isSelfService) return 0;
  return Math.max(0, Math.ceil((createdAt + minimumAgeDays * DAY_MS - now) / DAY_MS));
}

/** When a password made now has to be changed, in whole seconds; `null` if never. */
export function expiryOfNewPassword(
  { changeUponFirstUse, expiresDays }: PasswordRules,
  { createdAt, isSelfService }: PasswordOrigin,
  exceptions: PasswordExceptions = {},
): Moment | null {
  const mustChange = changeUponFirstUse && exceptions.ignore_change_password_upon_first_use !== true;
  if (mustChange && !isSelfService) return toSecond(createdAt);
  if (expiresDays === undefined || exceptions.ignore_password_expiry === true) return null;
  return toSecond(createdAt + expiresDays * DAY_MS);
}

function toSecond(moment: Moment): Moment {
  return Math.floor(moment / 1000) * 1000;
}

/** Whether a password has to be changed before its user may log in. */
export function isExpired(
  expiresAt: Moment | null,
  now: Moment,
  { ignore_password_expiry }: PasswordExceptions = {},
): boolean {
  return expiresAt !== null && ignore_password_expiry !== true && now >= expiresAt;
}

/** The failed logins of a user since the last good one. */
export interface LoginFailures {
  readonly count: number;
  /** `null` if there were none. */
  readonly lastAt: Moment | null;
}

/** What a good login, the end of a lockout or an administrator's enabling leaves. */
export const NO_FAILURES: LoginFailures = { count: 0, lastAt: null };

/** Until when an account is locked: a moment that is to come, `Infinity` if until it is enabled again, `null` if it isn't. */
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
 * The failures after one more. While the account is locked they stay as they are, or whoever tries on could keep it locked
 * for ever; those of a lock that is over don't count any longer.
 */
export function afterFailedLogin(rules: PasswordRules, failures: LoginFailures, now: Moment): LoginFailures {
  if (rules.lockoutAttempts === undefined || failures.count < rules.lockoutAttempts)
    return { count: failures.count + 1, lastAt: now };
  return lockedUntil(rules, failures, { now }) === null ? { count: 1, lastAt: now } : failures;
}

/** When a user was there last. */
export interface Activity {
  /** The last good login, or enabling by an administrator; `null` if none. */
  readonly lastActiveAt: Moment | null;
  readonly createdAt: Moment;
}

/** Whether a user was away for so many days that the account counts as disabled. */
export function isInactive(
  { inactiveDays }: PasswordRules,
  { lastActiveAt, createdAt }: Activity,
  { now, exceptions = {} }: { now: Moment; exceptions?: PasswordExceptions },
): boolean {
  if (inactiveDays === undefined || exceptions.ignore_user_inactivity === true) return false;
  return dayOf(now) - dayOf(lastActiveAt ?? createdAt) >= inactiveDays;
}

/** Whether both are in the same day. */
export function isSameDay(one: Moment | null, other: Moment): boolean {
  return one !== null && dayOf(one) === dayOf(other);
}

function dayOf(moment: Moment): number {
  return Math.floor(moment / DAY_MS);
}
