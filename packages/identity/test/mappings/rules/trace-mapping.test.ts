import { describe, expect, it } from "vitest";

import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { traceMapping } from "../../../src/mappings/rules/trace-mapping.js";

const mapping = compileMapping({
  rules: [
    {
      local: [{ user: { name: "{0}" } }, { groups: "{1}", domain: { id: "default" } }],
      remote: [
        { type: "UID" },
        { type: "ORG", any_one_of: ["^dev"], regex: true },
        { type: "GROUPS", whitelist: ["a", "b"] },
      ],
    },
    { local: [{ user: { name: "guest {0}" } }], remote: [{ type: "UID" }, { type: "MAIL" }] },
    { local: [{ user: { name: "late" } }], remote: [{ type: "UID", not_any_of: ["root"] }] },
  ],
});

const escaped = (text: string): string => text.replaceAll(/[$^.()[\]\\]/g, String.raw`\$&`);

describe("traceMapping", () => {
  it("reports the outcome of each rule and condition, and where each value went", () => {
    const { result, error, trace } = traceMapping(mapping, { UID: "kim", ORG: "devs", GROUPS: "b;c" });
    expect(error).toBeNull();
    expect(result).toMatchObject({ user: { name: "kim" }, group_names: [{ name: "b" }] });
    expect(trace.map(({ matched }) => matched)).toStrictEqual([true, false, true]);
    expect(trace[0]?.conditions).toStrictEqual([
      {
        condition: 0,
        type: "UID",
        test: "present",
        regex: false,
        received: ["kim"],
        matched: true,
        reached: true,
        reason: "the assertion has it",
        index: 0,
        passed: ["kim"],
      },
      {
        condition: 1,
        type: "ORG",
        test: "any_one_of",
        regex: true,
        received: ["devs"],
        matched: true,
        reached: true,
        reason: "a value matches a pattern of the list",
        index: null,
        passed: null,
      },
      {
        condition: 2,
        type: "GROUPS",
        test: "whitelist",
        regex: false,
        received: ["b", "c"],
        matched: true,
        reached: true,
        reason: "values in the list: 1 of 2",
        index: 1,
        passed: ["b"],
      },
    ]);
    expect(trace[0]?.values).toStrictEqual([
      { place: "rules[0].local[0].user.name", template: "{0}", from: [0], value: "kim", note: null },
      { place: "rules[0].local[1].domain.id", template: "default", from: [], value: "default", note: null },
      { place: "rules[0].local[1].groups", template: "{1}", from: [1], value: "b", note: null },
    ]);
    expect(trace[1]?.conditions[1]).toMatchObject({ received: null, reason: 'the assertion has no "MAIL"' });
    expect(trace[2]?.ignored).toStrictEqual([
      { place: "rules[2].local[0].user", reason: "rules[0].local[0].user came first" },
    ]);
  });

  it.each([
    [
      "an attribute in other letters",
      { type: "MAIL" },
      { mail: "a" },
      `no "MAIL"; it has "mail" (names are case-sensitive)`,
    ],
    ["a prefix too few", { type: "MAIL" }, { MELLON_MAIL: "a" }, `no "MAIL"; it has "MELLON_MAIL"`],
    ["a prefix too many", { type: "OIDC-email" }, { email: "a" }, `no "OIDC-email"; it has "email"`],
    ["an attribute that is a list of JSON", { type: "G" }, { G: ["a"] }, `no "G"; its value is not a string`],
    [
      "an attribute that has nothing in common",
      { type: "MAIL" },
      { XMAIL: "a" },
      `the assertion has no "MAIL"`,
    ],
    [
      "a value in other letters",
      { type: "O", any_one_of: ["Staff"] },
      { O: "staff" },
      `no value is in the list; "staff" differs from "Staff" by case or surrounding spaces`,
    ],
    [
      "values with commas between",
      { type: "O", any_one_of: ["staff"] },
      { O: "member, staff" },
      `no value is in the list; "member, staff" is one value: values are separated by semicolons`,
    ],
    [
      "a pattern without regex",
      { type: "O", any_one_of: ["^dev"] },
      { O: "devs" },
      `no value is in the list; "^dev" is compared literally, because "regex" is not true`,
    ],
    [
      "a pattern that is tied down",
      { type: "O", any_one_of: ["^dev$"], regex: true },
      { O: "devs" },
      `no value matches a pattern of the list; "^dev$" would match without its ^ or $`,
    ],
    [
      "an empty list",
      { type: "O", any_one_of: [] },
      { O: "a" },
      "no value is in the list; the list is empty",
    ],
    [
      "a whitelist without a match",
      { type: "O", whitelist: ["Admins"] },
      { O: "admins;users" },
      `values in the list: 0 of 2; "admins" differs from "Admins" by case or surrounding spaces`,
    ],
  ])("tells what may have been meant: %s", (_name, condition, assertion, reason) => {
    const rules = [{ local: [{ user: { name: "kim" } }], remote: [condition] }];
    const { trace } = traceMapping(compileMapping({ rules }), assertion);
    expect(trace[0]?.conditions[0]?.reason).toMatch(new RegExp(`${escaped(reason)}$`));
  });

  it("notes where a list is filled in as one text, but not where groups take it", () => {
    const rules = [
      {
        local: [{ user: { name: "{0}", email: "{1}" } }, { group_ids: "{0}" }],
        remote: [{ type: "G" }, { type: "H", whitelist: [] }],
      },
    ];
    const { trace } = traceMapping(compileMapping({ rules }), { G: "a;b", H: "c" });
    expect(trace[0]?.values.map(({ note }) => note)).toStrictEqual([
      `2 values are left of "G": the list is filled in in Python's notation`,
      `no value is left of "H": the list is filled in in Python's notation`,
      null,
    ]);
  });

  it("reports why nothing was mapped", () => {
    const { result, error, trace } = traceMapping(mapping, {});
    expect(result).toBeNull();
    expect(error?.reason).toBe("no-rule-matched");
    expect(
      trace.flatMap(({ conditions }) =>
        conditions.filter(({ reached }) => reached).map(({ reason }) => reason),
      ),
    ).toStrictEqual(Array.from({ length: 3 }, () => 'the assertion has no "UID"'));
  });

  it("ends at the rule that made the evaluation fail", () => {
    const rules = [
      { local: [{ groups: "{0}" }], remote: [{ type: "G" }] },
      { local: [], remote: [{ type: "G" }] },
    ];
    const { error, trace } = traceMapping(compileMapping({ rules }), { G: "a" });
    expect(error).toStrictEqual({
      reason: "group-without-domain",
      message: `rules[0].local[0].groups: "groups" requires a "domain" in the same entry`,
    });
    expect(trace).toHaveLength(1);
  });
});
