/**
 * Rules for passwords and logins, from Keystone's section [security_compliance]: pure functions of moments, counters and hashes.
 *
 * A day is 24 hours; for inactivity (account-lockout.ts) it is a calendar day in UTC, as in Keystone.
 */
import { DAY_MS, type Moment } from "../platform/clock.js";
import { LOCKOUT_SECONDS, type LockoutExceptions, type LockoutRules } from "./account-lockout.js";
import { compilePasswordPattern, type PasswordPattern } from "./password-pattern.js";

/** Settings by the names of Keystone's options. An absent one does not apply. */
export interface PasswordRuleOptions {
  readonly password_regex?: string;
  /** Shown to users whose password does not match. */
  readonly password_regex_description?: string;
  /** Number of previous passwords, including the current one, that a new one must differ from; >= 0, default 0. */
  readonly unique_last_password_count?: number;
  /** Days before a user may change a self-chosen password again; default 0. */
  readonly minimum_password_age?: number;
  /** Days until a password expires; >= 1. */
  readonly password_expires_days?: number;
  /** Failed logins that lock an account; >= 1. */
  readonly lockout_failure_attempts?: number;
  /** Seconds of a lockout; >= 1, default 1800. `null`: until an administrator enables the account. */
  readonly lockout_duration?: number | null;
  /** Days without a login that disable an account; >= 1. */
  readonly disable_user_account_days_inactive?: number;
  /** Whether a password set by an administrator must be changed before its first use; default false. */
  readonly change_password_upon_first_use?: boolean;
}

/** Validated rules. */
export interface PasswordRules extends LockoutRules {
  readonly pattern: PasswordPattern | undefined;
  readonly patternDescription: string | undefined;
  readonly uniqueLastCount: number;
  readonly minimumAgeDays: number;
  readonly expiresDays: number | undefined;
  readonly changeUponFirstUse: boolean;
}

/** Exceptions for one user: the password-related `options` of the user. */
export interface PasswordExceptions extends LockoutExceptions {
  readonly ignore_change_password_upon_first_use?: boolean;
  readonly ignore_password_expiry?: boolean;
  /** The user may not change the password; administrators may. */
  readonly lock_password?: boolean;
}

/** An option is out of range. */
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
 * @throws {PasswordRulesError} A number is out of range, or the minimum age is not below the maximum age.
 * @throws {PasswordPatternError} The regular expression is invalid or not supported.
 */
export function createPasswordRules(options: PasswordRuleOptions = {}): PasswordRules {
  const { password_regex, lockout_duration } = options;
  const rules: PasswordRules = {
    pattern: password_regex === undefined ? undefined : compilePasswordPattern(password_regex),
    patternDescription: options.password_regex_description,
    uniqueLastCount: wholeNumber(options, "unique_last_password_count", 0) ?? 0,
    minimumAgeDays: wholeNumber(options, "minimum_password_age", 0) ?? 0,
    expiresDays: wholeNumber(options, "password_expires_days", 1),
    lockoutAttempts: wholeNumber(options, "lockout_failure_attempts", 1),
    lockoutSeconds:
      lockout_duration === null ? null : (wholeNumber(options, "lockout_duration", 1) ?? LOCKOUT_SECONDS),
    inactiveDays: wholeNumber(options, "disable_user_account_days_inactive", 1),
    changeUponFirstUse: options.change_password_upon_first_use ?? false,
  };
  if (rules.expiresDays !== undefined && rules.minimumAgeDays >= rules.expiresDays)
    throw new PasswordRulesError(
      "minimum_password_age",
      rules.minimumAgeDays,
      `below password_expires_days (${rules.expiresDays}): passwords would expire before they may be changed`,
    );
  return rules;
}

type NumberOption = {
  [Option in keyof PasswordRuleOptions]-?: number extends PasswordRuleOptions[Option] ? Option : never;
}[keyof PasswordRuleOptions];

function wholeNumber(options: PasswordRuleOptions, name: NumberOption, min: number): number | undefined {
  const value = options[name] ?? undefined;
  if (value !== undefined && (!Number.isSafeInteger(value) || value < min))
    throw new PasswordRulesError(name, value, `a whole number of at least ${min}`);
  return value;
}

/** Whether a new password matches `password_regex`. */
export function isStrongEnough({ pattern }: PasswordRules, password: string): boolean {
  return pattern === undefined || pattern(password);
}

/** {@link PasswordHasher.verify} */
type VerifyPassword = (password: string, stored: string) => Promise<{ readonly matches: boolean }>;

/**
 * Whether a password is among the last ones that a new one must differ from.
 *
 * @param history The hashes of the user's passwords, the current one last.
 */
export async function isUsedRecently(
  { uniqueLastCount }: PasswordRules,
  { password, history, verify }: { password: string; history: readonly string[]; verify: VerifyPassword },
): Promise<boolean> {
  // The current one first: it is reused most often.
  for (const stored of lastOf(history, uniqueLastCount).toReversed())
    if ((await verify(password, stored)).matches) return true;
  return false;
}

/** The part of a history to keep when a password is added. */
export function historyToKeep<Entry>({ uniqueLastCount }: PasswordRules, history: readonly Entry[]): Entry[] {
  return lastOf(history, Math.max(uniqueLastCount, 1));
}

function lastOf<Entry>(entries: readonly Entry[], count: number): Entry[] {
  return entries.slice(Math.max(entries.length - count, 0));
}

/** How the current password was set. */
export interface PasswordOrigin {
  readonly createdAt: Moment;
  /** Whether the user set it, not an administrator. */
  readonly isSelfService: boolean;
}

/** Days, rounded up, until a user may change the password; 0 if immediately. */
export function daysUntilChangeable(
  { minimumAgeDays }: PasswordRules,
  { createdAt, isSelfService }: PasswordOrigin,
  now: Moment,
): number {
  if (!isSelfService) return 0;
  return Math.max(0, Math.ceil((createdAt + minimumAgeDays * DAY_MS - now) / DAY_MS));
}

/** When a new password expires, in whole seconds; `null` if never. */
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

/** Whether a password must be changed before the next login. */
export function isExpired(
  expiresAt: Moment | null,
  now: Moment,
  { ignore_password_expiry }: PasswordExceptions = {},
): boolean {
  return expiresAt !== null && ignore_password_expiry !== true && now >= expiresAt;
}
