/** Warnings of attribute values that were left out: where a rule reads them, once an hour. */
import { beforeEach, describe, expect, it } from "vitest";

import { asVerified } from "../../../src/federation/assertion-verifier.js";
import { createLeftOutWarnings } from "../../../src/federation/refusals/left-out-values.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";

const REASON = "values with semicolons were left out of a user's attributes";
const mapping = compileMapping({
  rules: [
    {
      local: [{ user: { name: "{0}" } }],
      remote: [{ type: "NAME_ID" }, { type: "groups", not_any_of: ["x"] }],
    },
    { local: [{ group: { id: "g" } }], remote: [{ type: "HTTP_OIDC_ROLES", any_one_of: ["a"] }] },
  ],
});

describe("a value that was left out", () => {
  let now: number;
  let lines: unknown[];
  let warn: (attributes: readonly string[], idp?: string) => void;
  beforeEach(() => {
    now = 1_000_000;
    lines = [];
    const warnings = createLeftOutWarnings({ clock: { now: () => now } });
    const log = { info: () => {}, warn: (facts: object, message: string) => lines.push([facts, message]) };
    warn = (attributes, identityProviderId = "acme") => {
      const facts = { identityProviderId, protocolId: "saml2", remoteId: "x", attributes: {} };
      const leftOut = [{ reason: REASON, attributes }];
      warnings({ assertion: asVerified({ ...facts, expiresAt: undefined, leftOut }), mapping, log });
    };
  });
  const line = (attributes: readonly string[], idpId = "acme") => [
    { idpId, protocolId: "saml2", attributes },
    REASON,
  ];

  it("is reported by the attributes that rules read, in conditions of any kind", () => {
    warn(["mail", "groups", "OIDC-roles", "HTTP_OIDC_ROLES"]);
    expect(lines).toEqual([line(["groups", "HTTP_OIDC_ROLES"])]);
  });

  it("is not reported where no rule reads it", () => {
    warn(["mail", "NAME_ID2"]);
    expect(lines).toEqual([]);
  });

  it("is reported once an hour, for each attribute and provider", () => {
    for (let logins = 0; logins < 3; logins += 1) warn(["groups"]);
    warn(["groups", "NAME_ID"]);
    warn(["groups"], "other");
    expect(lines).toEqual([line(["groups"]), line(["NAME_ID"]), line(["groups"], "other")]);
    now += 3_599_999;
    warn(["groups"]);
    expect(lines).toHaveLength(3);
    now += 1;
    warn(["groups"]);
    expect(lines).toHaveLength(4);
  });
});
