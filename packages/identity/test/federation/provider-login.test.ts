import { describe, expect, it } from "vitest";

import {
  AssertionForbiddenError,
  AssertionRefusedError,
  logRefusal,
} from "../../src/federation/federation-errors.js";
import { TooManyError } from "../../src/platform/errors.js";

describe("the log of a failed federated login", () => {
  const facts = { step: "assertion", reason: "assertion has no Audience" };
  const tooMany = new TooManyError("Too many logins. Please try again later.", { retryAfterSeconds: 1 });

  it.each([
    ["a rejected assertion", new AssertionRefusedError(facts), facts],
    [
      "a forbidden domain",
      new AssertionForbiddenError({ ...facts, domainId: "d" }),
      { ...facts, domainId: "d" },
    ],
    [
      "an error of the service",
      tooMany,
      { step: "login", reason: "request/too-many: Too many logins. Please try again later." },
    ],
    [
      "any other failure, whose message may hold secrets",
      new Error("password=x"),
      { step: "login", reason: "unexpected" },
    ],
  ])("names the check that %s failed", (_what, failure, expected) => {
    const lines: unknown[] = [];
    const log = { info: (...line: unknown[]) => void lines.push(line), warn: () => {} };
    logRefusal(log, { idpId: "acme", id: "saml2" }, failure);
    expect(lines).toEqual([
      [{ federation: { idpId: "acme", id: "saml2", ...expected } }, "federated login refused"],
    ]);
  });
});
