import { describe, expect, it } from "vitest";

import { readConfig } from "../../src/config.js";
import { readPasswordRules } from "../../src/passwords/password-options.js";

const rulesOf = (env: Record<string, string>) =>
  readPasswordRules(readConfig({ HOME: "/home/ada", ...env }).password);

describe("the rules for passwords", () => {
  it("are none where nothing is set", () => {
    expect(rulesOf({})).toEqual({
      pattern: undefined,
      patternDescription: undefined,
      uniqueLastCount: 0,
      minimumAgeDays: 0,
      expiresDays: undefined,
      lockoutAttempts: undefined,
      lockoutSeconds: 1800,
      inactiveDays: undefined,
      changeUponFirstUse: false,
    });
  });

  it("are what the operator sets", () => {
    const rules = rulesOf({
      IDENTITY_PASSWORD_REGEX: "^.{7,}$",
      IDENTITY_PASSWORD_REGEX_DESCRIPTION: "Seven letters",
      IDENTITY_PASSWORD_EXPIRES_DAYS: "90",
      IDENTITY_PASSWORD_MINIMUM_AGE_DAYS: "1",
      IDENTITY_PASSWORD_HISTORY: "5",
      IDENTITY_LOCKOUT_ATTEMPTS: "6",
      IDENTITY_LOCKOUT_SECONDS: "0",
      IDENTITY_INACTIVE_DAYS: "60",
      IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE: "on",
    });
    expect(rules).toMatchObject({
      patternDescription: "Seven letters",
      uniqueLastCount: 5,
      minimumAgeDays: 1,
      expiresDays: 90,
      lockoutAttempts: 6,
      lockoutSeconds: null,
      inactiveDays: 60,
      changeUponFirstUse: true,
    });
    expect([rules.pattern?.("secret"), rules.pattern?.("secrets")]).toEqual([false, true]);
  });
});
