/** Password settings of the service, and the password rules they make. */
import { createPasswordRules, type PasswordRules } from "./password-rules.js";

/** The kinds of new hashes. Keystone reads all but the first. */
export const NEW_HASH_KINDS = ["argon2id", "scrypt", "bcrypt"] as const;
export type NewHashKind = (typeof NEW_HASH_KINDS)[number];

/** `undefined` settings don't apply. */
export interface PasswordSettings {
  readonly passwordRegex: string | undefined;
  readonly passwordRegexDescription: string | undefined;
  readonly passwordExpiresDays: number | undefined;
  readonly passwordMinimumAgeDays: number;
  /** Passwords that a new one must differ from, including the current one. */
  readonly passwordHistory: number;
  readonly lockoutAttempts: number | undefined;
  /** 0 for a lockout until an administrator enables the account. */
  readonly lockoutSeconds: number;
  readonly inactiveDays: number | undefined;
  readonly changePasswordUponFirstUse: boolean;
}

/**
 * @throws {PasswordRulesError} Settings contradict each other.
 * @throws {PasswordPatternError} The regular expression is invalid or not supported.
 */
export function readPasswordRules(settings: PasswordSettings): PasswordRules {
  const { lockoutSeconds } = settings;
  const options = {
    password_regex: settings.passwordRegex,
    password_regex_description: settings.passwordRegexDescription,
    unique_last_password_count: settings.passwordHistory,
    minimum_password_age: settings.passwordMinimumAgeDays,
    password_expires_days: settings.passwordExpiresDays,
    lockout_failure_attempts: settings.lockoutAttempts,
    lockout_duration: lockoutSeconds === 0 ? null : lockoutSeconds,
    disable_user_account_days_inactive: settings.inactiveDays,
    change_password_upon_first_use: settings.changePasswordUponFirstUse,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return createPasswordRules(Object.fromEntries(given));
}
