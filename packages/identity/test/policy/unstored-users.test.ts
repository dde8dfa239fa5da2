/** What users without a row may not get: anything that outlives their token. */
import { describe, expect, it } from "vitest";

import type { Credentials } from "../../src/policy/caller.js";
import { isAllowed } from "../../src/policy/is-allowed.js";

const STORED: Credentials = {
  userId: "u1",
  roles: ["admin", "manager", "member", "reader"],
  scope: { kind: "project", projectId: "p1", projectDomainId: "d1" },
};
const UNSTORED: Credentials = { ...STORED, isUnstored: true };

const OWN = { user: { id: "u1", domainId: "d1" }, trust: { trustorId: "u1" } };
const OTHER = { user: { id: "u2", domainId: "d1" } };

describe("an administrator without a row", () => {
  it.each([
    "identity:create_application_credential",
    "identity:create_trust",
    "identity:authorize_request_token",
    "identity:create_credential",
    "identity:ec2_create_credential",
  ] as const)("may not call %s for itself, as one with a row may", (action) => {
    expect(isAllowed(action, STORED, OWN)).toBe(true);
    expect(isAllowed(action, UNSTORED, OWN)).toBe(false);
    // A target that does not exist, as its own row does not.
    expect(isAllowed(action, UNSTORED)).toBe(false);
  });

  it.each(["identity:create_credential", "identity:ec2_create_credential"] as const)(
    "may call %s for others",
    (action) => {
      expect(isAllowed(action, UNSTORED, OTHER)).toBe(true);
    },
  );
});
