/** The rules for passwords as an operator sets them. */
import { createPasswordRules, type PasswordRules } from "./password-rules.js";

/** Settings; what is `undefined` doesn't apply. */
export interface PasswordSettings {
  readonly passwordRegex: string | undefined;
  readonly passwordRegexDescription: string | undefined;
  readonly passwordExpiresDays: number | undefined;
  readonly passwordMinimumAgeDays: number;
  /** Passwords that a new one must differ from, the present one included. */
  readonly passwordHistory: number;
  readonly lockoutAttempts: number | undefined;
  /** 0 for a lockout that an administrator has to end. */
  readonly lockoutSeconds: number;
  readonly inactiveDays: number | undefined;
  readonly changePasswordUponFirstUse: boolean;
}

/**
 * The rules that settings mean.
 *
 * @throws {PasswordRulesError} Settings contradict each other.
 * @throws {PasswordPatternError} The regular expression can't be used.
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
