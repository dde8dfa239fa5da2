import { describe, expect, it } from "vitest";

import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { MappingRulesError } from "../../../src/mappings/mapping-errors.js";

/** The faults that rules are refused with. */
function faultsOf(
  rules: unknown,
  schemaVersion?: unknown,
): readonly (readonly [place: string, fault: string])[] {
  try {
    compileMapping({ rules, schemaVersion });
    return [];
  } catch (error) {
    if (!(error instanceof MappingRulesError)) throw error;
    return error.problems.map(({ place, fault }) => [place, fault]);
  }
}

const remote = [{ type: "UID" }];
const withLocal = (...local: unknown[]) => [{ local, remote }];
const withRemote = (...items: unknown[]) => [{ local: [{}], remote: items }];
const long = "(?:a{1000}){1000}(?=b)";

describe("compileMapping", () => {
  it.each([
    [[], "rules", "must not be empty"],
    [undefined, "rules", "expected a list, found undefined"],
    ["x", "rules", `expected a list, found "x"`],
    [["x"], "rules[0]", `expected an object, found "x"`],
    [[{ local: [], remote: [] }], "rules[0].remote", "must not be empty"],
    [[{ remote }], "rules[0]", `lacks "local"`],
    [[{ local: [], remote, x: 1 }], "rules[0]", `unknown member "x", expected one of local, remote`],
    [withRemote({}), "rules[0].remote[0]", `lacks "type"`],
    [withRemote({ type: 1 }), "rules[0].remote[0].type", "expected a string, found 1"],
    [
      withRemote({ type: "A", any_one_of: "a" }),
      "rules[0].remote[0].any_one_of",
      `expected a list, found "a"`,
    ],
    [
      withRemote({ type: "A", any_one_of: [], not_any_of: [] }),
      "rules[0].remote[0]",
      "has any_one_of and not_any_of, expected at most one test",
    ],
    [
      withRemote({ type: "A", regex: true }),
      "rules[0].remote[0].regex",
      "requires one of any_one_of, not_any_of, blacklist, whitelist",
    ],
    [withLocal({ user: "x" }), "rules[0].local[0].user", `expected an object, found "x"`],
    [withLocal({ user: { name: null } }), "rules[0].local[0].user.name", "expected a string, found null"],
    [
      withLocal({ user: { type: "remote" } }),
      "rules[0].local[0].user.type",
      `expected "ephemeral" or "local", found "remote"`,
    ],
    [withLocal({ group: { name: "a" } }), "rules[0].local[0].group", `lacks "domain"`],
    [withLocal({ groups: ["a"] }), "rules[0].local[0].groups", "expected a string, found a list"],
    [withLocal({ projects: [{ name: "P" }] }), "rules[0].local[0].projects[0]", `lacks "roles"`],
  ])("refuses what Keystone refuses: %o", (rules, place, fault) => {
    expect(faultsOf(rules)).toStrictEqual([[place, fault]]);
  });

  it.each([
    [
      "patterns-are-checked",
      withRemote({ type: "A", whitelist: ["ok", "("], regex: true }),
      "rules[0].remote[0].whitelist[1]",
    ],
    [
      "patterns-are-checked",
      withRemote({ type: "A", blacklist: [1], regex: true }),
      "rules[0].remote[0].blacklist[0]",
    ],
    [
      "patterns-that-are-too-much",
      withRemote({ type: "A", whitelist: [long], regex: true }),
      "rules[0].remote[0].whitelist[0]",
    ],
    [
      "listed-values-are-plain",
      withRemote({ type: "A", any_one_of: [["a"]] }),
      "rules[0].remote[0].any_one_of[0]",
    ],
    ["placeholders-are-checked", withLocal({ user: { name: "{1}" } }), "rules[0].local[0].user.name"],
    [
      "placeholders-are-checked",
      withLocal({ user: { domain: { id: "{0" } } }),
      "rules[0].local[0].user.domain.id",
    ],
    [
      "placeholders-are-checked",
      withLocal({ projects: [{ name: "P", roles: [{ name: "{x}" }] }] }),
      "rules[0].local[0].projects[0].roles[0].name",
    ],
    [
      "no-attributes-in-templates",
      withLocal({ user: { name: "{0.__class__}" } }),
      "rules[0].local[0].user.name",
    ],
    [
      "groups-have-domains",
      withLocal({ group: { name: "a", domain: {} } }),
      "rules[0].local[0].group.domain",
    ],
    ["groups-have-domains", withLocal({ groups: "devs" }), "rules[0].local[0]"],
  ])("refuses what would fail at login, by the rule %s: %o", (_rule, rules, place) => {
    expect(faultsOf(rules).map(([found]) => found)).toStrictEqual([place]);
  });

  it("names every fault with its place", () => {
    const faults = faultsOf([
      {
        local: [{ user: { name: "{2}" } }, { groups: "{0}" }],
        remote: [{ type: "A", any_one_of: ["*"], regex: true }],
      },
    ]);
    expect(faults).toStrictEqual([
      ["rules[0].remote[0].any_one_of[0]", `invalid pattern "*": nothing to repeat at position 0`],
      [
        "rules[0].local[0].user.name",
        `{2} in "{2}" is out of range: "remote" provides no values (any_one_of and not_any_of provide none)`,
      ],
      [
        "rules[0].local[1].groups",
        `{0} in "{0}" is out of range: "remote" provides no values (any_one_of and not_any_of provide none)`,
      ],
    ]);
  });

  it.each([
    ["{1}", ["A"], "one value, {0}"],
    ["{3}", ["A", "B", "C"], "values {0} to {2}"],
  ])("names the values that {n} may have: %s with %j", (name, types, provided) => {
    const rules = [{ local: [{ user: { name } }], remote: types.map((type) => ({ type })) }];
    expect(faultsOf(rules)).toStrictEqual([
      [
        "rules[0].local[0].user.name",
        `${name} in "${name}" is out of range: "remote" provides ${provided} (any_one_of and not_any_of provide none)`,
      ],
    ]);
  });

  it("knows domains of projects from schema 2.0 on, and projects_json from 3.0 on", () => {
    const domain = withLocal({ projects: [{ name: "P", roles: [], domain: { id: "d" } }] });
    const json = withLocal({ projects_json: "{0}" });
    expect(["1.0", "2.0", "3.0"].map((version) => faultsOf(domain, version).length)).toStrictEqual([1, 0, 0]);
    expect(["1.0", "2.0", "3.0"].map((version) => faultsOf(json, version).length)).toStrictEqual([1, 1, 0]);
    expect(faultsOf(withLocal({ projects_json: "x{0}" }), "3.0")).toStrictEqual([
      ["rules[0].local[0].projects_json", `expected the number of a value, such as "{0}", found "x{0}"`],
    ]);
  });

  it("takes an empty schema version for 1.0, and rejects an unknown one", () => {
    for (const version of [undefined, null, ""])
      expect(compileMapping({ rules: withLocal({}), schemaVersion: version }).schemaVersion).toBe("1.0");
    for (const version of ["4.0", "2", 2, {}])
      expect(faultsOf(withLocal({}), version).map(([place]) => place)).toStrictEqual(["schema_version"]);
  });

  it("accepts groups without a domain where values may contain domains", () => {
    expect(faultsOf(withLocal({ groups: "{0}" }))).toStrictEqual([]);
    expect(faultsOf(withLocal({ groups: `JSON:{{"name":"a","domain":{{"id":"{0}"}}}}` }))).toStrictEqual([]);
  });
});
