import { describe, expect, it } from "vitest";

import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../../../src/mappings/rules/evaluate-mapping.js";

interface Given {
  readonly local?: readonly unknown[];
  readonly remote?: readonly unknown[];
  readonly schemaVersion?: string;
}

const NAME = { user: { name: "{0}" } };

/** The identity that one rule makes of an assertion, or the reason why there is none. */
function map(
  { local = [NAME], remote = [{ type: "UID" }], schemaVersion = "1.0" }: Given,
  assertion: Assertion,
) {
  return mapAll([{ local, remote }], assertion, schemaVersion);
}

function mapAll(rules: readonly unknown[], assertion: Assertion, schemaVersion = "1.0") {
  const outcome = evaluateMapping(compileMapping({ rules, schemaVersion }), assertion);
  return outcome.kind === "mapped" ? outcome.identity : outcome.failure.reason;
}

const noUser = { user: { type: "ephemeral" }, group_ids: [], group_names: [], projects: [] };

describe("evaluateMapping", () => {
  it("fills an attribute into the user's name", () => {
    expect(map({}, { UID: "kim" })).toStrictEqual({ ...noUser, user: { name: "kim", type: "ephemeral" } });
  });

  it("numbers the values by the conditions that give some", () => {
    const remote = [{ type: "FIRST" }, { type: "ORG", any_one_of: ["x"] }, { type: "LAST" }];
    const assertion = { FIRST: "Kim", ORG: "w;x", LAST: "Roe" };
    expect(map({ local: [{ user: { name: "{0} {1}" } }], remote }, assertion)).toMatchObject({
      user: { name: "Kim Roe" },
    });
  });

  it.each([
    ["any_one_of", "a;b", "kim"],
    ["any_one_of", "b", "no-rule-matched"],
    ["not_any_of", "a;b", "no-rule-matched"],
    ["not_any_of", "b", "kim"],
  ])("applies a rule by %s: %s", (test, values, expected) => {
    const remote = [{ type: "UID" }, { type: "G", [test]: ["a", 1] }];
    const found = map({ remote }, { UID: "kim", G: values });
    expect(typeof found === "string" ? found : found.user.name).toBe(expected);
  });

  it("takes a condition on an absent attribute for not fulfilled, whatever it asks", () => {
    for (const test of ["any_one_of", "not_any_of", "whitelist", "blacklist"])
      expect(map({ remote: [{ type: "UID" }, { type: "G", [test]: [] }] }, { UID: "kim" })).toBe(
        "no-rule-matched",
      );
  });

  it.each([
    [{ whitelist: ["b", "a"] }, ["a", "b"]],
    [{ whitelist: ["^[ab]$"], regex: true }, ["a", "b", "b"]],
    [{ blacklist: ["a"] }, ["b", "c"]],
    [{ blacklist: ["a|c"], regex: true }, ["b"]],
    [{ whitelist: [] }, []],
    [{}, ["a", "b", "b", "c"]],
  ])("lets values through by %o", (test, names) => {
    const remote = [{ type: "G", ...test }];
    const found = map({ local: [{ groups: "{0}", domain: { id: "d" } }], remote }, { G: "a;b;b;c" });
    expect(found).toMatchObject({ group_names: names.map((name) => ({ name, domain: { id: "d" } })) });
  });

  it("writes several values as Python writes a list, where one text is asked for", () => {
    expect(map({}, { UID: "a;it's;\n" })).toMatchObject({ user: { name: `['a', "it's", '\\n']` } });
  });

  it("reads an attribute that is a list in Python's or JSON's words as its members", () => {
    const local = [{ group_ids: "{0}" }];
    expect(map({ local }, { UID: `['x', "y", 3]` })).toMatchObject({ group_ids: ["x", "y", 3] });
    expect(map({ local }, { UID: "('x', 'y')" })).toMatchObject({ group_ids: ["('x', 'y')"] });
  });

  it("counts the first user, all groups and the last projects", () => {
    const project = (name: string) => ({ projects: [{ name, roles: [{ name: "member" }] }] });
    const rules = [
      { local: [NAME, { group: { id: "g1" } }, project("P")], remote: [{ type: "UID" }] },
      {
        local: [{ user: { name: "other" } }, { group: { id: "g2" } }, project("Q")],
        remote: [{ type: "UID" }],
      },
    ];
    expect(mapAll(rules, { UID: "kim" })).toStrictEqual({
      user: { name: "kim", type: "ephemeral" },
      group_ids: ["g1", "g2"],
      group_names: [],
      projects: [{ name: "Q", roles: [{ name: "member" }] }],
    });
  });

  it("lists a group by name again with each that follows, as Keystone does", () => {
    const local = ["n1", "n2"].map((name) => ({ group: { name, domain: { id: "d" } } }));
    const [n1, n2] = local.map(({ group }) => group);
    expect(map({ local }, { UID: "kim" })).toMatchObject({ group_names: [n1, n1, n2] });
  });

  it("accepts groups with domains of their own, in JSON", () => {
    const group = (name: string) => ({ name, domain: { name: "Default" } });
    const values = [group("a"), group("b")].map((one) => `JSON:${JSON.stringify(one)}`).join(";");
    expect(map({ local: [{ groups: "{0}" }] }, { UID: values })).toMatchObject({
      group_names: [group("a"), group("b")],
    });
  });

  it.each([
    ["group-without-domain", { groups: "{0}" }, "a"],
    ["group-without-domain", { groups: "{0}", domain: { id: "d" } }, "my-name"],
    ["group-without-domain", { groups: "{0}" }, `JSON:{"name":"a"}`],
    ["malformed-group", { groups: "{0}" }, `JSON:{"name":`],
    ["malformed-group", { group_ids: "{0}" }, "[[1]]"],
    ["no-such-value", { user: { name: "{0[3]}" } }, "a;b"],
    ["list-has-no-layout", { user: { name: "{0:>5}" } }, "a;b"],
  ])("says why it fails: %s", (reason, local, value) => {
    expect(map({ local: [local] }, { UID: value })).toBe(reason);
  });

  it("fills the domain beside it into user and projects from schema 2.0 on", () => {
    const local = [{ ...NAME, projects: [{ name: "P", roles: [] }], domain: { id: "d" } }];
    expect(map({ local }, { UID: "kim" })).toMatchObject({ projects: [{ name: "P", roles: [] }] });
    expect(map({ local, schemaVersion: "2.0" }, { UID: "kim" })).toMatchObject({
      user: { name: "kim", domain: { id: "d" } },
      projects: [{ name: "P", roles: [], domain: { id: "d" } }],
    });
    expect(map({ schemaVersion: "2.0" }, { UID: "kim" })).toMatchObject({ user: { domain: null } });
  });

  it("reads projects from an attribute in schema 3.0", () => {
    const given = { local: [{ projects_json: "{0}", domain: { id: "d" } }], schemaVersion: "3.0" };
    expect(map(given, { UID: `[{"name":"P","roles":[{"name":"member"}]}]` })).toMatchObject({
      projects: [{ name: "P", roles: [{ name: "member" }], domain: { id: "d" } }],
    });
    for (const value of [`[{"name":"P"}]`, "{}", "[", "a;b"])
      expect(map(given, { UID: value })).toBe("malformed-projects");
  });

  it("reads projects in JSON of at most 100 levels", () => {
    const rules = [{ local: [{ projects_json: "{0}" }], remote: [{ type: "UID" }] }];
    const failureAt = (levels: number) => {
      const UID = "[".repeat(levels) + "]".repeat(levels);
      const outcome = evaluateMapping(compileMapping({ rules, schemaVersion: "3.0" }), { UID });
      return outcome.kind === "failed" ? outcome.failure.message : undefined;
    };
    expect(failureAt(100)).toBe("rules[0].local[0].projects_json[0]: expected an object, found a list");
    expect(failureAt(101)).toBe("rules[0].local[0].projects_json: JSON is nested deeper than 100 levels");
  });

  it("takes attributes by their own names alone", () => {
    for (const type of ["__proto__", "constructor", "toString"]) {
      expect(map({ remote: [{ type }] }, {})).toBe("no-rule-matched");
      expect(map({ remote: [{ type }] }, JSON.parse(`{"${type}":"kim"}`) as Assertion)).toMatchObject({
        user: { name: "kim" },
      });
    }
  });

  it("takes an attribute that is no text for absent", () => {
    for (const UID of [5, null, ["kim"], { name: "kim" }, true])
      expect(map({}, { UID })).toBe("no-rule-matched");
  });

  // What Keystone makes of them: Python reads a list only if the lines around it are not indented.
  it.each([
    ["['a']", ["a"]],
    ["['a']\n", ["a"]],
    ["['a']\n ", ["['a']\n "]],
    ["['a']\n \n", ["a"]],
    ["\n['a']", ["a"]],
    ["\n ['a']", ["\n ['a']"]],
    [" ['a'] # c", ["a"]],
    ["['a']\\\n", ["['a']\\\n"]],
  ])("takes a text for a list where Python does, which minds how lines are indented: %j", (value, ids) => {
    expect(map({ local: [{ group_ids: "{0}" }] }, { UID: value })).toMatchObject({ group_ids: ids });
  });

  it("groups-are-json: takes texts that only Python could read as they are, and no list within a list for an id", () => {
    for (const value of ["[{1, 2}]", "[b'a']", "[1j]", "[...]", "{['a']}"])
      expect(map({ local: [{ group_ids: "{0}" }] }, { UID: value })).toMatchObject({ group_ids: [value] });
    expect(map({ local: [{ group_ids: "{0}" }] }, { UID: "[('a', 'b')]" })).toBe("malformed-group");
  });

  it("gives up a pattern that would run for years", () => {
    const remote = [{ type: "UID", any_one_of: [String.raw`^(a+)+\1$`], regex: true }];
    expect(map({ local: [{ user: { name: "x" } }], remote }, { UID: `${"a".repeat(5000)}!` })).toBe(
      "too-much-work",
    );
  });

  it("answers at once where Python would run for years", () => {
    const remote = [{ type: "UID", not_any_of: ["^(a+)+$", "(?=a)(a*)*$", "(a|aa)+$"], regex: true }];
    const found = map({ local: [{ user: { name: "x" } }], remote }, { UID: `${"a".repeat(5000)}!` });
    expect(found).toMatchObject({ user: { name: "x" } });
  });
});
