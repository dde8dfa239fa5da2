import { describe, expect, it } from "vitest";

import {
  afterFailedLogin,
  isInactive,
  lockedUntil,
  NO_FAILURES,
  type LoginFailures,
} from "../../src/passwords/account-lockout.js";
import {
  createPasswordRules,
  daysUntilChangeable,
  expiryOfNewPassword,
  historyToKeep,
  isExpired,
  isStrongEnough,
  isUsedRecently,
  type PasswordRuleOptions,
} from "../../src/passwords/password-rules.js";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-21T12:00:00.500Z");
const NONE = createPasswordRules();

describe("createPasswordRules", () => {
  it.each<[PasswordRuleOptions, string]>([
    [
      { unique_last_password_count: -1 },
      "unique_last_password_count: -1 is not a whole number of at least 0",
    ],
    [{ minimum_password_age: 1.5 }, "minimum_password_age: 1.5 is not a whole number of at least 0"],
    [{ password_expires_days: 0 }, "password_expires_days: 0 is not a whole number of at least 1"],
    [{ lockout_failure_attempts: 0 }, "lockout_failure_attempts: 0 is not a whole number of at least 1"],
    [{ lockout_duration: Number.NaN }, "lockout_duration: NaN is not a whole number of at least 1"],
    [
      { disable_user_account_days_inactive: 0 },
      "disable_user_account_days_inactive: 0 is not a whole number of at least 1",
    ],
    [{ minimum_password_age: 7, password_expires_days: 7 }, "7 is not below password_expires_days (7)"],
    [{ password_regex: "(" }, "password_regex"],
  ])("refuses %j by the name of the option", (options, message) => {
    expect(() => createPasswordRules(options)).toThrow(message);
  });
});

describe("a new password", () => {
  it("has to match the expression, where there is one", () => {
    const rules = createPasswordRules({
      password_regex: "^.{7,}$",
      password_regex_description: "Seven letters",
    });
    expect(isStrongEnough(rules, "secret")).toBe(false);
    expect(isStrongEnough(rules, "secrets")).toBe(true);
    expect(isStrongEnough(NONE, "")).toBe(true);
    expect(rules.patternDescription).toBe("Seven letters");
  });

  /** A stand-in for hashes: `#` before the password. */
  const verify = async (password: string, stored: string): Promise<{ matches: boolean }> =>
    Promise.resolve({ matches: stored === `#${password}` });

  it.each([
    [0, "new", false],
    [0, "now", false],
    [1, "now", true],
    [1, "last", false],
    [2, "last", true],
    [2, "first", false],
    [3, "first", true],
    [9, "first", true],
    [9, "new", false],
  ])("must differ from the last %i: %s is used already: %s", async (count, password, expected) => {
    const rules = createPasswordRules({ unique_last_password_count: count });
    const history = ["#first", "#last", "#now"];
    expect(await isUsedRecently(rules, { password, history, verify })).toBe(expected);
  });

  it("leaves of the history what later ones have to differ from, and the present one at least", () => {
    const history = ["a", "b", "c"];
    expect(historyToKeep(NONE, history)).toEqual(["c"]);
    expect(historyToKeep(createPasswordRules({ unique_last_password_count: 2 }), history)).toEqual([
      "b",
      "c",
    ]);
    expect(historyToKeep(createPasswordRules({ unique_last_password_count: 5 }), history)).toEqual(history);
  });

  it("may be chosen when the present one is old enough, or was an administrator's choice", () => {
    const rules = createPasswordRules({ minimum_password_age: 2 });
    const days = (age: number, isSelfService = true): number =>
      daysUntilChangeable(rules, { createdAt: NOW - age, isSelfService }, NOW);
    expect([days(0), days(1), days(DAY), days(2 * DAY - 1), days(2 * DAY)]).toEqual([2, 2, 1, 1, 0]);
    expect(days(0, false)).toBe(0);
    expect(daysUntilChangeable(NONE, { createdAt: NOW, isSelfService: true }, NOW)).toBe(0);
  });
});

describe("a password", () => {
  const createdAt = NOW;
  const rules = createPasswordRules({ password_expires_days: 90, change_password_upon_first_use: true });

  it("expires after the days that are set, in a whole second, or never", () => {
    const own = { createdAt, isSelfService: true };
    expect(expiryOfNewPassword(rules, own)).toBe(Date.parse("2027-02-19T12:00:00Z"));
    expect(expiryOfNewPassword(rules, own, { ignore_password_expiry: true })).toBeNull();
    expect(expiryOfNewPassword(NONE, own)).toBeNull();
  });

  it("that an administrator set has to be changed before its first use, if that is asked for", () => {
    const given = { createdAt, isSelfService: false };
    expect(isExpired(expiryOfNewPassword(rules, given), NOW)).toBe(true);
    const excepted = expiryOfNewPassword(rules, given, { ignore_change_password_upon_first_use: true });
    expect(excepted).toBe(Date.parse("2027-02-19T12:00:00Z"));
    expect(expiryOfNewPassword(NONE, given)).toBeNull();
  });

  it("is expired from its moment on, unless its user is excepted", () => {
    expect([isExpired(NOW, NOW - 1), isExpired(NOW, NOW), isExpired(null, NOW)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(isExpired(NOW, NOW, { ignore_password_expiry: true })).toBe(false);
  });
});

describe("an account", () => {
  const rules = createPasswordRules({ lockout_failure_attempts: 3, lockout_duration: 60 });

  function failures(...moments: number[]): LoginFailures {
    return moments.reduce((before, moment) => afterFailedLogin(rules, before, moment), NO_FAILURES);
  }

  it("is locked after so many failures, for so long after the last of them", () => {
    expect(lockedUntil(rules, failures(0, 1000), { now: 1000 })).toBeNull();
    const three = failures(0, 1000, 2000);
    expect(lockedUntil(rules, three, { now: 2000 })).toBe(62_000);
    expect(lockedUntil(rules, three, { now: 61_999 })).toBe(62_000);
    expect(lockedUntil(rules, three, { now: 62_000 })).toBeNull();
  });

  it("has all its attempts again when the lock is over", () => {
    const again = failures(0, 1000, 2000, 62_000);
    expect(again).toEqual({ count: 1, lastAt: 62_000 });
    expect(lockedUntil(rules, failures(0, 1000, 2000, 62_000, 63_000), { now: 63_000 })).toBeNull();
    expect(lockedUntil(rules, failures(0, 1000, 2000, 62_000, 63_000, 64_000), { now: 64_000 })).toBe(
      124_000,
    );
  });

  it("is not kept locked by those who go on trying", () => {
    expect(failures(0, 1000, 2000, 30_000)).toEqual({ count: 3, lastAt: 2000 });
  });

  it("stays locked until it is enabled again where no duration is set, and is never locked where it is excepted", () => {
    const forGood = createPasswordRules({ lockout_failure_attempts: 1, lockout_duration: null });
    const once = { count: 1, lastAt: 0 };
    expect(lockedUntil(forGood, once, { now: 1e15 })).toBe(Infinity);
    const exceptions = { ignore_lockout_failure_attempts: true };
    expect(lockedUntil(forGood, once, { now: 0, exceptions })).toBeNull();
    expect(lockedUntil(NONE, { count: 1000, lastAt: 0 }, { now: 0 })).toBeNull();
  });

  it("is locked for half an hour where no other duration is set", () => {
    const usual = createPasswordRules({ lockout_failure_attempts: 1 });
    expect(lockedUntil(usual, { count: 1, lastAt: 0 }, { now: 1 })).toBe(1_800_000);
  });

  it("is disabled after so many days of the calendar without a login", () => {
    const idle = createPasswordRules({ disable_user_account_days_inactive: 30 });
    const away = (lastActive: string | null, now: string, exceptions = {}): boolean =>
      isInactive(
        idle,
        {
          lastActiveAt: lastActive === null ? null : Date.parse(lastActive),
          createdAt: Date.parse("2026-01-01T00:00Z"),
        },
        { now: Date.parse(now), exceptions },
      );
    expect(away("2026-03-01T23:59Z", "2026-03-30T23:59Z")).toBe(false);
    expect(away("2026-03-01T23:59Z", "2026-03-31T00:00Z")).toBe(true);
    expect(away(null, "2026-01-30T12:00Z")).toBe(false);
    expect(away(null, "2026-01-31T00:00Z")).toBe(true);
    expect(away(null, "2026-12-31T00:00Z", { ignore_user_inactivity: true })).toBe(false);
    expect(isInactive(NONE, { lastActiveAt: 0, createdAt: 0 }, { now: NOW })).toBe(false);
  });
});
