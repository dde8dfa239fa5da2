/** The settings of passwords (name, parser, default and help of each), and the password rules they make. */
import {
  oneOf,
  onOrOff,
  readBy,
  text,
  wholeNumber,
  type Options,
  type ValuesOf,
} from "../platform/option-parsers.js";
import { LOCKOUT_SECONDS } from "./account-lockout.js";
import { compilePasswordPattern } from "./password-pattern.js";
import { createPasswordRules, type PasswordRules } from "./password-rules.js";

/** The kinds of new hashes. Keystone reads all but the first. */
export const NEW_HASH_KINDS = ["argon2id", "scrypt", "bcrypt"] as const;
export const DEFAULT_HASH_KIND = "argon2id";
export type NewHashKind = (typeof NEW_HASH_KINDS)[number];

export const PASSWORD_OPTIONS = {
  hash: {
    name: "IDENTITY_PASSWORD_HASH",
    parser: oneOf(...NEW_HASH_KINDS),
    help: `kind of new password hashes: ${NEW_HASH_KINDS.join(", ")}; Keystone reads the last two`,
    standard: DEFAULT_HASH_KIND,
  },
  regex: {
    name: "IDENTITY_PASSWORD_REGEX",
    parser: readBy((given) => {
      compilePasswordPattern(given);
      return given;
    }, "a Python regular expression without lookarounds other than look-aheads at its start"),
    help: "regular expression that new passwords must match; by default any password",
  },
  regexDescription: {
    name: "IDENTITY_PASSWORD_REGEX_DESCRIPTION",
    parser: text("a text"),
    help: "description of the regular expression, shown when a password is rejected",
  },
  expiresDays: {
    name: "IDENTITY_PASSWORD_EXPIRES_DAYS",
    parser: wholeNumber({ from: 1, to: 100_000 }),
    help: "days until a password expires; by default never",
  },
  minimumAgeDays: {
    name: "IDENTITY_PASSWORD_MINIMUM_AGE_DAYS",
    parser: wholeNumber({ from: 0, to: 100_000 }),
    help: "days before a user may change a self-chosen password",
    standard: "0",
  },
  history: {
    name: "IDENTITY_PASSWORD_HISTORY",
    parser: wholeNumber({ from: 0, to: 100 }),
    help: "number of passwords that a new one must differ from, including the current one",
    standard: "0",
  },
  lockoutAttempts: {
    name: "IDENTITY_LOCKOUT_ATTEMPTS",
    parser: wholeNumber({ from: 1, to: 1_000_000 }),
    help: "failed logins that lock an account; by default never",
  },
  lockoutSeconds: {
    name: "IDENTITY_LOCKOUT_SECONDS",
    parser: wholeNumber({ from: 0, to: 1_000_000_000 }),
    help: "seconds of a lockout; 0 until an administrator enables the account",
    standard: String(LOCKOUT_SECONDS),
  },
  inactiveDays: {
    name: "IDENTITY_INACTIVE_DAYS",
    parser: wholeNumber({ from: 1, to: 100_000 }),
    help: "days without a login that disable an account; by default never",
  },
  changeUponFirstUse: {
    name: "IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE",
    parser: onOrOff,
    help: "require a change of passwords set by an administrator: on or off",
    standard: "off",
  },
} satisfies Options;

export type PasswordSettings = ValuesOf<typeof PASSWORD_OPTIONS>;

/**
 * Settings that are `undefined` do not apply.
 *
 * @throws {PasswordRulesError} Settings contradict each other.
 * @throws {PasswordPatternError} The regular expression is invalid or not supported.
 */
export function readPasswordRules(settings: PasswordSettings): PasswordRules {
  const { lockoutSeconds } = settings;
  const options = {
    password_regex: settings.regex,
    password_regex_description: settings.regexDescription,
    unique_last_password_count: settings.history,
    minimum_password_age: settings.minimumAgeDays,
    password_expires_days: settings.expiresDays,
    lockout_failure_attempts: settings.lockoutAttempts,
    lockout_duration: lockoutSeconds === 0 ? null : lockoutSeconds,
    disable_user_account_days_inactive: settings.inactiveDays,
    change_password_upon_first_use: settings.changeUponFirstUse,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return createPasswordRules(Object.fromEntries(given));
}
