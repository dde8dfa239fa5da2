/** Values that an assertion chooses: parsed as in Keystone, and confined to the lists and the domain of the rule. */
import { describe, expect, it } from "vitest";

import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { evaluateMapping } from "../../../src/mappings/rules/evaluate-mapping.js";
import { traceMapping } from "../../../src/mappings/rules/trace-mapping.js";

const TENANT = { id: "tenant" };

interface Given {
  readonly local: object;
  readonly test?: object;
  readonly value: string;
  readonly version?: string;
}

function mapped({ local, test = {}, value, version: schemaVersion }: Given) {
  const rules = [{ local: [{ user: { name: "kim" } }, local], remote: [{ type: "G", ...test }] }];
  const outcome = evaluateMapping(compileMapping({ rules, schemaVersion }), { G: value });
  if (outcome.kind === "failed") return outcome.failure.reason;
  return outcome;
}

const groups = (given: Given) => {
  const outcome = mapped(given);
  return typeof outcome === "string" ? outcome : outcome.identity.group_names;
};
const named = (...names: readonly string[]) => names.map((name) => ({ name, domain: TENANT }));
const json = (name: string, domain: object = { id: "default" }) => `JSON:${JSON.stringify({ name, domain })}`;

describe("a domain next to groups binds them, whatever the text contains", () => {
  const bound = { groups: "{0}", domain: TENANT };

  it.each([
    ["JSON", json("cloudadmins")],
    ["JSON in a list", `['${json("cloudadmins")}']`],
    [
      "JSON with two domains",
      `JSON:{"domain":{"id":"tenant"},"name":"cloudadmins","domain":{"id":"default"}}`,
    ],
    ["JSON after letters that Keystone takes off", `JSON:SONJ${json("cloudadmins").slice(5)}`],
  ])("where it is %s", (_what, value) => {
    expect(groups({ local: bound, value })).toEqual(named("cloudadmins"));
  });

  it("where there are several values", () => {
    const value = [json("cloudadmins"), json("staff", { name: "Default" })].join(";");
    expect(groups({ local: bound, value })).toEqual(named("cloudadmins", "staff"));
  });

  it("and an empty domain from an attribute is none of the text's", () => {
    const found = groups({ local: { groups: "{0}", domain: { id: "{0[99]}" } }, value: json("cloudadmins") });
    expect(found).toBe("no-such-value");
    const rules = [
      { local: [{ groups: "{0}", domain: { id: "{1}" } }], remote: [{ type: "G" }, { type: "EMPTY" }] },
    ];
    const outcome = evaluateMapping(compileMapping({ rules }), { G: json("cloudadmins"), EMPTY: "" });
    expect(outcome).toMatchObject({
      identity: { group_names: [{ name: "cloudadmins", domain: { id: "" } }] },
    });
  });

  it("except where the rule itself writes the JSON, whose domain then counts", () => {
    const template = 'JSON:{{"domain":{{"id":"own"}},"name":"{0}"}}';
    const [own] = [{ id: "own" }];
    expect(groups({ local: { groups: template, domain: TENANT }, value: "staff" })).toEqual([
      { name: "staff", domain: own },
    ]);
    // Nothing in a value ends the text that the rule puts it into.
    const value = 'cloudadmins","domain":{"id":"default"},"x":"';
    expect(groups({ local: { groups: template }, value })).toEqual([{ name: value, domain: own }]);
  });

  it("and projects in JSON are in the domain beside them", () => {
    const value = JSON.stringify([
      { name: "lab", roles: [{ name: "admin" }], domain: { id: "default" } },
      { name: "work", roles: [] },
    ]);
    const local = { projects_json: "{0}", domain: TENANT };
    expect(mapped({ local, value, version: "3.0" })).toMatchObject({
      identity: {
        projects: [
          { name: "lab", domain: TENANT },
          { name: "work", domain: TENANT },
        ],
      },
    });
  });

  it("and ids of groups that the text chooses have to be in it", () => {
    const idsOf = (local: object, value: string) => {
      const outcome = mapped({ local, value });
      return typeof outcome === "string" ? outcome : [...outcome.groupIdDomains];
    };
    expect(idsOf({ group_ids: "{0}", domain: TENANT }, "a;b")).toEqual([
      ["a", [TENANT]],
      ["b", [TENANT]],
    ]);
    expect(idsOf({ group: { id: "{0}" }, domain: TENANT }, "a")).toEqual([["a", [TENANT]]]);
    // What the rule names by itself is what its author wanted.
    expect(idsOf({ group_ids: "fixed", domain: TENANT }, "a")).toEqual([["fixed", undefined]]);
    expect(idsOf({ group: { id: "fixed" }, domain: TENANT }, "a")).toEqual([["fixed", undefined]]);
    expect(idsOf({ group_ids: "{0}" }, "a")).toEqual([["a", undefined]]);
  });

  it("and an id that one rule frees and another one binds is free", () => {
    const remote = [{ type: "G" }];
    const rules = [
      { local: [{ group_ids: "{0}", domain: TENANT }], remote },
      { local: [{ group_ids: "{0}", domain: { id: "other" } }], remote },
      { local: [{ group: { id: "b" } }], remote },
    ];
    const outcome = evaluateMapping(compileMapping({ rules }), { G: "a;b" });
    expect(outcome.kind === "mapped" && [...outcome.groupIdDomains]).toEqual([
      ["a", [TENANT, { id: "other" }]],
      ["b", undefined],
    ]);
  });
});

describe("lists of a condition apply to what is read from its values", () => {
  const bound = { groups: "{0}", domain: TENANT };
  const unbound = { groups: "{0}" };
  const blacklist = { blacklist: ["cloudadmins"] };
  const blackPattern = { blacklist: ["^cloud"], regex: true };
  const whitePattern = { whitelist: ["dev", "x"], regex: true };

  it.each([
    ["a list of one", { local: bound, test: blacklist, value: "['cloudadmins']" }, []],
    ["a list of more", { local: bound, test: blacklist, value: '["staff", "cloudadmins"]' }, named("staff")],
    ["a list with an escape", { local: bound, test: blacklist, value: String.raw`['cloud\x61dmins']` }, []],
    ["texts in a row", { local: bound, test: blacklist, value: "['cloud' 'admins']" }, []],
    ["a tuple", { local: bound, test: blacklist, value: "[('cloudadmins')]" }, []],
    ["JSON", { local: bound, test: blacklist, value: json("cloudadmins") }, []],
    ["JSON without a domain beside", { local: unbound, test: blacklist, value: json("cloudadmins") }, []],
    [
      "JSON with an escape",
      {
        local: bound,
        test: blacklist,
        value: String.raw`JSON:{"name":"cloud\u0061dmins","domain":{"id":"tenant"}}`,
      },
      [],
    ],
    [
      "several values of JSON",
      { local: bound, test: blacklist, value: `${json("cloudadmins")};${json("qa")}` },
      named("qa"),
    ],
    ["JSON in a list", { local: bound, test: blacklist, value: `['${json("cloudadmins")}']` }, []],
    [
      "a pattern and a list",
      { local: bound, test: blackPattern, value: "['cloudadmins', 'dev']" },
      named("dev"),
    ],
    ["a pattern and JSON", { local: bound, test: blackPattern, value: json("cloudadmins") }, []],
    [
      "a pattern of all JSON",
      { local: bound, test: { blacklist: ["^JSON"], regex: true }, value: `['${json("a")}']` },
      [],
    ],
    [
      "a pattern of a whitelist",
      { local: bound, test: whitePattern, value: "['devs', 'cloudadmins']" },
      named("devs"),
    ],
    [
      "a pattern that JSON has elsewhere",
      { local: bound, test: whitePattern, value: json("cloudadmins", { id: "x" }) },
      [],
    ],
    [
      "another form of a name",
      { local: bound, test: { blacklist: ["caf\u00e9"] }, value: "cafe\u0301;qa" },
      named("qa"),
    ],
    [
      "a template with a blank",
      { local: { ...bound, groups: " {0}" }, test: blacklist, value: "['cloudadmins']" },
      [],
    ],
    ["a conversion", { local: { ...bound, groups: "{0!s}" }, test: blacklist, value: "['cloudadmins']" }, []],
    [
      "quotes that end the text of a rule",
      { local: { ...bound, groups: "['t-{0}']" }, test: blacklist, value: "x', 'cloudadmins" },
      named("t-x', 'cloudadmins"),
    ],
    [
      "what is listed letter for letter",
      { local: bound, test: { whitelist: ["['a', 'b']"] }, value: "['a', 'b']" },
      named("a", "b"),
    ],
    [
      "names that are no list",
      { local: bound, test: blacklist, value: "staff;cloudadmins;qa" },
      named("staff", "qa"),
    ],
  ] as const)("%s", (_what, given, expected) => {
    expect(groups(given)).toEqual(expected);
  });

  it("ids too", () => {
    const outcome = mapped({
      local: { group_ids: "{0}" },
      test: { blacklist: ["admin-id"] },
      value: "['admin-id','b']",
    });
    expect(outcome).toMatchObject({ identity: { group_ids: ["b"] } });
  });

  it("projects in JSON too", () => {
    const value = JSON.stringify([
      { name: "admin", roles: [] },
      { name: "lab", roles: [] },
    ]);
    const local = { projects_json: "{0}" };
    const black = mapped({ local, test: { blacklist: ["admin"] }, value, version: "3.0" });
    expect(black).toMatchObject({ identity: { projects: [{ name: "lab" }] } });
    const white = mapped({ local, test: { whitelist: ["lab"], regex: true }, value, version: "3.0" });
    expect(white).toMatchObject({ identity: { projects: [{ name: "lab" }] } });
  });

  it.each([
    ["['banned']"],
    [json("banned")],
    [`['${json("banned")}']`],
    [`qa;${json("banned")}`],
    ["banned"],
  ])("not_any_of finds a name in %s", (value) => {
    const rules = [
      { local: [{ user: { name: "{0}" } }], remote: [{ type: "G" }, { type: "G", not_any_of: ["banned"] }] },
    ];
    expect(evaluateMapping(compileMapping({ rules }), { G: value }).kind).toBe("failed");
    expect(evaluateMapping(compileMapping({ rules }), { G: value.replace("banned", "good") }).kind).toBe(
      "mapped",
    );
  });

  it("which a dry run reports", () => {
    const rules = [{ local: [bound], remote: [{ type: "G", ...blacklist }] }];
    const { trace } = traceMapping(compileMapping({ rules }), { G: "['cloudadmins']" });
    expect(trace[0]?.ignored).toEqual([
      {
        place: "rules[0].local[0].groups",
        reason: '"cloudadmins" was parsed from a value and is rejected by its blacklist',
      },
    ]);
  });
});

describe("warnings name where an assertion chooses a domain", () => {
  const places = (local: object, schemaVersion = "3.0") => {
    const rules = [{ local: [local], remote: [{ type: "A" }, { type: "B" }] }];
    return compileMapping({ rules, schemaVersion }).warnings.map(({ place }) =>
      place.replace("rules[0].local[0].", ""),
    );
  };

  it.each([
    [{ groups: "{0}" }, ["groups"]],
    [{ groups: "JSON:{0}" }, ["groups"]],
    [{ groups: 'JSON:{{"name":"a","domain":{{"id":"{0}"}}}}' }, ["groups"]],
    [{ group_ids: "{0}" }, ["group_ids"]],
    [{ group: { id: "{0}" } }, ["group.id"]],
    [{ projects_json: "{0}" }, ["projects_json"]],
    [{ groups: "{0}", domain: { id: "{1}" } }, ["domain"]],
    [{ group: { name: "a", domain: { name: "{0}" } } }, ["group.domain"]],
    [{ user: { name: "{0}", domain: { id: "{1}" } } }, ["user.domain"]],
    [{ user: { id: "{0}", type: "local" } }, ["user.id"]],
    [{ projects: [{ name: "{0}", roles: [], domain: { id: "{1}" } }] }, ["projects[0].domain"]],
  ])("in %j", (local, expected) => {
    expect(places(local)).toEqual(expected);
  });

  it.each([
    { groups: "{0}", domain: TENANT },
    { group_ids: "{0}", domain: TENANT },
    { group_ids: "fixed" },
    { group: { id: "fixed" } },
    { group: { id: "{0}" }, domain: TENANT },
    { groups: 'JSON:{{"name":"{0}","domain":{{"id":"d"}}}}' },
    { groups: 'JSON:{{"name":"a","domain":{{"id":"d"}}}}' },
    { projects_json: "{0}", domain: TENANT },
    { user: { name: "{0}", type: "local" }, domain: TENANT },
    { user: { id: "{0}", type: "ephemeral" } },
    { projects: [{ name: "{0}", roles: [] }] },
  ])("and nothing in %j", (local) => {
    expect(places(local)).toEqual([]);
  });
});
