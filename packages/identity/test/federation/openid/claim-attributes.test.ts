/** Claims as attributes for mapping rules. */
import { describe, expect, it } from "vitest";

import { claimAttributes } from "../../../src/federation/protocols/openid/claim-attributes.js";
import { parseExactJson } from "../../../src/platform/text/exact-json.js";

describe("claims become attributes", () => {
  it("by the name of the environment variable, and by that of a header", () => {
    expect(claimAttributes({ sub: "kim" }).attributes).toEqual({
      "OIDC-sub": "kim",
      HTTP_OIDC_SUB: "kim",
      REMOTE_USER: "kim",
    });
  });

  it("with the prefix of the settings, even with none", () => {
    expect(claimAttributes({ email: "k@x" }, { attribute_prefix: "OIDC_CLAIM_" }).attributes).toEqual({
      OIDC_CLAIM_email: "k@x",
      HTTP_OIDC_CLAIM_EMAIL: "k@x",
    });
    expect(claimAttributes({ email: "k@x" }, { attribute_prefix: "" }).attributes).toEqual({
      email: "k@x",
      HTTP_EMAIL: "k@x",
    });
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
      { attribute_prefix: "" },
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
    const { attributes } = claimAttributes({ "a-b": "1", a_b: "2", A: { b: "3" } }, { attribute_prefix: "" });
    expect(attributes).toEqual({ "a-b": "1", a_b: "2", "A.b": "3" });
  });

  it.each([
    ["flat and nested", '{"a": {"b": "inner"}, "a.b": "plain"}', ["a.b"]],
    ["nested and flat", '{"a.b": "plain", "a": {"b": "inner"}}', ["a.b"]],
    ["nested in two ways", '{"a": {"b.c": "1"}, "a.b": {"c": "2"}}', ["a.b.c"]],
    ["the same by both", '{"a": {"b": "1"}, "a.b": "1"}', ["a.b"]],
    ["one of them a list", '{"a": {"b": ["1"]}, "a.b": "1"}', ["a.b"]],
    ["one of them left out for its semicolon", '{"a": {"b": "1;2"}, "a.b": "1"}', ["a.b"]],
    ["one of them without text", '{"a": {"b": [{}]}, "a.b": "1"}', ["a.b"]],
  ])("not where one is there by two spellings: %s", (_, json, ambiguous) => {
    const described = claimAttributes(JSON.parse(json) as object as never);
    expect(described).toMatchObject({ attributes: {}, ambiguous });
    expect([...described.values]).toEqual([]);
  });

  it("by one spelling where the other is null, which is no claim", () => {
    expect(claimAttributes({ a: { b: null }, "a.b": "1" }).attributes).toMatchObject({ "OIDC-a.b": "1" });
  });

  it.each([
    ["", { email: "1", HTTP_EMAIL: "2" }, { email: "1", HTTP_HTTP_EMAIL: "2" }],
    ["", { Email: "1", email: "2" }, { Email: "1", email: "2" }],
    ["OIDC-", { "a.b": "1", A_B: "2" }, { "OIDC-a.b": "1", "OIDC-A_B": "2" }],
    ["HTTP_", { A: "1", a: "2" }, { HTTP_A: "1", HTTP_a: "2" }],
    ["", { "a-b": "1;2", a_b: "1" }, { a_b: "1" }],
    ["", { REMOTE_USER: "admin", email: "1" }, { email: "1", HTTP_EMAIL: "1", HTTP_REMOTE_USER: "admin" }],
  ])("with the prefix %j by no name that two claims share: %j", (prefix, claims, attributes) => {
    expect(claimAttributes(claims, { attribute_prefix: prefix }).attributes).toEqual(attributes);
  });

  it("with numbers as the provider writes them, and as release 0.2.0 read them", () => {
    const claims = parseExactJson(
      '{"uid": 100002348117421473, "groups": [9007199254740993, "x"], "a": {"n": 1.0}, "sub": "kim"}',
    );
    const { attributes, rounded } = claimAttributes(claims as never, { attribute_prefix: "" });
    expect(attributes).toMatchObject({
      uid: "100002348117421473",
      HTTP_UID: "100002348117421473",
      groups: "9007199254740993;x",
      "a.n": "1",
    });
    expect(rounded).toMatchObject({ uid: "100002348117421470", groups: "9007199254740992;x", sub: "kim" });
    expect(claimAttributes({ uid: 1 })).not.toHaveProperty("rounded");
  });

  it("as mod_auth_openidc writes them, if the settings say so", () => {
    const { attributes, values, leftOut } = claimAttributes(
      {
        sub: "kim",
        yes: true,
        half: 1.5,
        address: { country: "DE", n: 1 },
        note: { text: "a;b" },
        mixed: ["a", 3, true, { x: 1 }],
        none: [],
        nothing: null,
      },
      { attribute_prefix: "OIDC_CLAIM_", claims_format: "mod_auth_openidc" },
    );
    expect(attributes).toMatchObject({
      OIDC_CLAIM_yes: "1",
      OIDC_CLAIM_half: "1.500000",
      OIDC_CLAIM_address: '{"country":"DE","n":1}',
      OIDC_CLAIM_mixed: "a;1",
      OIDC_CLAIM_none: "",
      REMOTE_USER: "kim",
    });
    expect(Object.keys(attributes).filter((name) => /nothing|note|country/i.test(name))).toEqual([]);
    expect(leftOut).toEqual(["note.text", "note"]);
    // Conditions on workloads mean the same in every format.
    expect(values.get("yes")).toBe("true");
    expect(values.get("address.country")).toBe("DE");
  });

  it.each(["plain", "mod_auth_openidc"] as const)(
    "with the keys of an object, in the format %s",
    (format) => {
      const roles = "urn:zitadel:iam:org:project:roles";
      const { attributes } = claimAttributes(
        { [roles]: { admin: { 1: "acme" }, reader: { 1: "acme" }, "x;root": {} }, keys: ["as", "before"] },
        { claims_format: format, claims_as_keys: [roles, "keys", "absent"] },
      );
      expect(attributes[`OIDC-${roles}`]).toBe("admin;reader");
      expect(attributes["OIDC-keys"]).toBe("as;before");
      expect(Object.keys(attributes)).toHaveLength(4);
    },
  );

  it("whatever they are called", () => {
    const { attributes } = claimAttributes(
      JSON.parse('{"__proto__": "x", "constructor": "y"}') as object as never,
      { attribute_prefix: "" },
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
    expect(
      claimAttributes({ REMOTE_USER: "admin", sub: "kim" }, { attribute_prefix: "" }).attributes,
    ).toMatchObject({
      REMOTE_USER: "kim",
    });
  });
});
