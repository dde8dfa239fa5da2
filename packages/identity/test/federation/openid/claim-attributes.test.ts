/** Claims as attributes for mapping rules. */
import { describe, expect, it } from "vitest";

import { claimAttributes } from "../../../src/federation/openid/claim-attributes.js";

describe("claims become attributes", () => {
  it("by the name of the environment variable, and by that of a header", () => {
    expect(claimAttributes({ sub: "kim" }).attributes).toEqual({
      "OIDC-sub": "kim",
      HTTP_OIDC_SUB: "kim",
      REMOTE_USER: "kim",
    });
  });

  it("with the prefix of the settings, even with none", () => {
    expect(claimAttributes({ email: "k@x" }, "OIDC_CLAIM_").attributes).toEqual({
      OIDC_CLAIM_email: "k@x",
      HTTP_OIDC_CLAIM_EMAIL: "k@x",
    });
    expect(claimAttributes({ email: "k@x" }, "").attributes).toEqual({ email: "k@x", HTTP_EMAIL: "k@x" });
  });

  it("of all kinds as text", () => {
    const { attributes } = claimAttributes(
      {
        groups: ["a", "b", 3, true, null, { x: 1 }],
        exp: 12,
        verified: false,
        nothing: null,
        none: [],
        objects: [{ x: 1 }],
        realm_access: { roles: ["r1", "r2"], of: { level: 2 } },
      },
      "",
    );
    expect(attributes).toMatchObject({
      groups: "a;b;3;true",
      none: "",
      exp: "12",
      verified: "false",
      "realm_access.roles": "r1;r2",
      HTTP_REALM_ACCESS_ROLES: "r1;r2",
      "realm_access.of.level": "2",
    });
    expect(attributes).not.toHaveProperty("nothing");
    expect(attributes).not.toHaveProperty("objects");
  });

  it("without a value that rules would take for two, of a list or by itself", () => {
    const { attributes, leftOut } = claimAttributes({
      groups: ["users", "x;admins"],
      name: "a;b",
      sub: "x;boss",
    });
    expect(attributes).toEqual({ "OIDC-groups": "users", HTTP_OIDC_GROUPS: "users" });
    expect(leftOut).toEqual(["groups", "name", "sub"]);
  });

  it("by a header's name only if that is of one claim", () => {
    const { attributes } = claimAttributes({ "a-b": "1", a_b: "2", A: { b: "3" } }, "");
    expect(attributes).toEqual({ "a-b": "1", a_b: "2", "A.b": "3" });
  });

  it("by their own names before those of members", () => {
    expect(claimAttributes({ a: { b: "inner" }, "a.b": "plain" }).attributes).toMatchObject({
      "OIDC-a.b": "plain",
    });
  });

  it("whatever they are called", () => {
    const { attributes } = claimAttributes(
      JSON.parse('{"__proto__": "x", "constructor": "y"}') as object as never,
      "",
    );
    expect(Object.entries(attributes)).toContainEqual(["__proto__", "x"]);
    expect(Object.getPrototypeOf(attributes)).toBe(Object.prototype);
  });

  it("but not from endless depths", () => {
    let claim: unknown = "deep";
    for (let depth = 0; depth < 100_000; depth += 1) claim = { a: claim };
    expect(claimAttributes({ a: claim, b: "1" }).attributes).toEqual({ "OIDC-b": "1", HTTP_OIDC_B: "1" });
  });

  it("while REMOTE_USER is the subject, whatever the claim of that name contains", () => {
    expect(claimAttributes({ REMOTE_USER: "admin", sub: "kim" }, "").attributes).toMatchObject({
      REMOTE_USER: "kim",
    });
  });
});
