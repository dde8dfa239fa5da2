/** Lint: each finding by rules that have the fault, and by rules next to them that don't. */
import { describe, expect, it } from "vitest";

import { lintRules } from "../../../src/mappings/lint/lint-rules.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";

const USER = { user: { id: "{0}", name: "{0}" } };
const SUB = { type: "OIDC-sub" };

/** Codes and places. */
function lint(rules: readonly object[], schemaVersion?: string): string[] {
  return lintRules(compileMapping({ rules, schemaVersion })).map(({ code, place }) => `${code} ${place}`);
}
const withConditions = (...conditions: readonly object[]) => [
  { local: [USER], remote: [SUB, ...conditions] },
];

describe("lintRules", () => {
  it("finds nothing in rules with a stable id, anchored patterns and a domain", () => {
    const groups = { groups: "{1}", domain: { name: "Default" } };
    const remote = [SUB, { type: "GROUPS", whitelist: ["^cloud-[a-z]+$"], regex: true }];
    expect(lint([{ local: [USER, groups], remote }])).toEqual([]);
  });

  it.each([
    [{ type: "G", any_one_of: [] }, ["never-matches rules[0].remote[1].any_one_of"]],
    [
      { type: "G", any_one_of: [7] },
      ["never-matches rules[0].remote[1].any_one_of", "value-never-occurs rules[0].remote[1].any_one_of[0]"],
    ],
    [{ type: "G", any_one_of: ["a", "b;c"] }, ["value-never-occurs rules[0].remote[1].any_one_of[1]"]],
    [{ type: "G", not_any_of: [".*"], regex: true }, ["never-matches rules[0].remote[1].not_any_of"]],
    [{ type: "G", not_any_of: ["^x$"], regex: true }, []],
    [
      { type: "G", any_one_of: ["admin"], regex: true },
      ["unanchored-pattern rules[0].remote[1].any_one_of[0]"],
    ],
    [{ type: "G", any_one_of: ["^admin$", "^(a|b)$"], regex: true }, []],
    [
      { type: "OIDC-email_verified", any_one_of: ["1"] },
      ["boolean-as-number rules[0].remote[1].any_one_of[0]"],
    ],
    [{ type: "HTTP_OIDC_A", not_any_of: ["0"] }, ["boolean-as-number rules[0].remote[1].not_any_of[0]"]],
    [{ type: "OIDC-level", any_one_of: ["1", "2"] }, []],
    [{ type: "OIDC-email_verified", any_one_of: ["true"] }, []],
    [{ type: "G", any_one_of: ["1"] }, []],
    // What a blacklist rejects in addition gives nothing away.
    [{ type: "G", blacklist: ["admin"], regex: true }, []],
  ])("reports of %j: %j", (condition, expected) => {
    expect(lint(withConditions(condition))).toEqual(expected);
  });

  it("finds conditions of one rule that exclude each other", () => {
    const some = { type: "G", any_one_of: ["staff"] };
    const never = ["never-matches rules[0].remote[1].any_one_of"];
    expect(lint(withConditions(some, { type: "G", not_any_of: ["staff", "x"] }))).toEqual(never);
    expect(lint(withConditions(some, { type: "G", not_any_of: ["^st"], regex: true }))).toEqual(never);
    const reversed = [{ local: [USER], remote: [{ type: "G", not_any_of: ["staff"] }, some, SUB] }];
    expect(lint(reversed)).toEqual(expect.arrayContaining(never));
    expect(lint(withConditions(some, { type: "G", not_any_of: ["x"] }))).toEqual([]);
    expect(lint(withConditions(some, { type: "H", not_any_of: ["staff"] }))).toEqual([]);
  });

  it.each([
    [{ name: "{0}" }, "OIDC-email", ["unstable-user-id rules[0].local[0].user.name"]],
    [{ name: "{0}" }, "OIDC-preferred_username", ["unstable-user-id rules[0].local[0].user.name"]],
    [{ id: "{0}", name: "x" }, "MELLON_mail", ["unstable-user-id rules[0].local[0].user.id"]],
    [{ name: "{0}" }, "OIDC-sub", []],
    [{ name: "{0}" }, "MELLON_NAME_ID", []],
    [{ name: "{0}" }, "http://schemas.microsoft.com/identity/claims/objectidentifier", []],
    [{ name: "everyone" }, "OIDC-sub", ["shared-user rules[0].local[0].user.name"]],
    [{ name: "admin", domain: { id: "default" }, type: "local" }, "OIDC-email", []],
  ])("reports of the user %j by %s: %j", (user, type, expected) => {
    expect(lint([{ local: [{ user }], remote: [{ type }] }])).toEqual(expected);
  });

  it("finds projects that don't count where a later rule or entry with projects matches too", () => {
    const projects = (name: string) => ({ projects: [{ name, roles: [{ name: "member" }] }] });
    const when = (condition: object, ...local: object[]) => ({
      local: [USER, ...local],
      remote: [SUB, condition],
    });
    const staff = { type: "G", any_one_of: ["staff"] };
    const others = { type: "G", not_any_of: ["staff", "x"] };
    const ignored = (rules: readonly object[], version?: string) =>
      lint(rules, version).filter((each) => each.startsWith("projects"));
    const first = ["projects-ignored rules[0].local[1]"];
    expect(
      ignored([when(staff, projects("a")), when({ type: "G", any_one_of: ["ops"] }, projects("b"))]),
    ).toEqual(first);
    expect(ignored([when(staff, projects("a"), projects("b"))])).toEqual(first);
    const json = { local: [USER, { projects_json: "{1}" }], remote: [SUB, { type: "P" }] };
    expect(ignored([when(staff, projects("a")), json], "3.0")).toEqual(first);
    // No assertion satisfies both.
    expect(ignored([when(staff, projects("a")), when(others, projects("b"))])).toEqual([]);
    expect(ignored([when(others, projects("a")), when(staff, projects("b"))])).toEqual([]);
    expect(ignored([when(staff, projects("a")), when(others)])).toEqual([]);
    expect(ignored([when(staff, projects("a"))])).toEqual([]);
  });

  it("finds rules that assign nothing, and rules without a user", () => {
    expect(
      lint([
        { local: [USER], remote: [SUB] },
        { local: [{ domain: { id: "d" } }], remote: [SUB] },
      ]),
    ).toEqual(["assigns-nothing rules[1].local"]);
    const groups = [{ group: { id: "g" } }];
    expect(lint([{ local: groups, remote: [SUB] }])).toEqual(["no-user rules"]);
    expect(lint([{ local: groups, remote: [{ type: "REMOTE_USER" }] }])).toEqual([]);
  });

  it("finds a user that an earlier rule always overrides", () => {
    const narrow = { local: [USER], remote: [SUB, { type: "G", any_one_of: ["a"] }] };
    const wide = { local: [USER], remote: [SUB] };
    expect(lint([wide, narrow])).toEqual(["user-ignored rules[1]"]);
    expect(lint([narrow, wide])).toEqual([]);
    expect(lint([narrow, { ...narrow, remote: [SUB, { type: "G", any_one_of: ["b"] }] }])).toEqual([]);
  });

  it("repeats the warnings of domains that an assertion chooses", () => {
    expect(lint([{ local: [USER, { group_ids: "{1}" }], remote: [SUB, { type: "G" }] }])).toEqual([
      "chosen-domain rules[0].local[1].group_ids",
    ]);
  });

  it("ends with a bounded list", () => {
    const rules = Array.from({ length: 300 }, () => ({ local: [], remote: [{ type: "G", any_one_of: [] }] }));
    expect(lint(rules)).toHaveLength(200);
  });
});
