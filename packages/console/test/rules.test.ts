/** Changes of rules by clicks. */
import { describe, expect, it } from "vitest";

import {
  diffLines,
  parseRules,
  placeholderFor,
  requireValue,
  valuesIn,
  withCondition,
  withoutCondition,
  withTest,
  type Rule,
} from "../src/pages/mappings/rules/rules.ts";

const RULE: Rule = {
  remote: [
    { type: "UID" },
    { type: "ORG", any_one_of: ["a"] },
    { type: "MAIL" },
    { type: "G", whitelist: ["x"] },
  ],
  local: [{ user: { id: "{0}", name: "{1} {{0}}" } }, { groups: "{2}", domain: { name: "d{0[1]}" } }],
};

describe("a click on an attribute", () => {
  it("makes the number of its values, with a condition where there is none", () => {
    expect(placeholderFor(RULE, "MAIL")).toEqual({ rule: RULE, placeholder: "{1}" });
    const { rule, placeholder } = placeholderFor(RULE, "NEW");
    expect(placeholder).toBe("{3}");
    expect(rule.remote.at(-1)).toEqual({ type: "NEW" });
    // any_one_of gives no values: a second condition does.
    expect(placeholderFor(RULE, "ORG").rule.remote).toHaveLength(5);
  });

  it("makes a condition of a value, in the list of the attribute where it has one", () => {
    expect(requireValue(RULE, "ORG", "b").remote[1]).toEqual({ type: "ORG", any_one_of: ["a", "b"] });
    expect(requireValue(RULE, "ORG", "a")).toBe(RULE);
    expect(requireValue(RULE, "MAIL", "m").remote.at(-1)).toEqual({ type: "MAIL", any_one_of: ["m"] });
  });
});

describe("values in lines", () => {
  it("keep their commas: of a DN, and of a pattern", () => {
    expect(valuesIn("cn=admins,ou=cloud\r\na{1,2}\n\n")).toEqual(["cn=admins,ou=cloud", "a{1,2}"]);
  });
});

describe("placeholders", () => {
  it("follow their attribute when a condition before it goes", () => {
    expect(withoutCondition(RULE, 0).local).toEqual([
      { user: { id: "{UID}", name: "{0} {{0}}" } },
      { groups: "{1}", domain: { name: "d{UID[1]}" } },
    ]);
    expect(withoutCondition(RULE, 1).local).toEqual(RULE.local);
  });

  it("follow when a condition stops giving values, or begins to", () => {
    const listed = withTest({ type: "UID" }, "not_any_of", ["x"]);
    expect(withCondition(RULE, 0, listed).local[1]).toMatchObject({ groups: "{1}" });
    expect(withCondition(RULE, 1, { type: "ORG" }).local[1]).toMatchObject({ groups: "{3}" });
  });
});

describe("parseRules", () => {
  it.each(["", "{", "{}", "[1]", '[{"remote":[]}]', '[{"remote":[1],"local":[]}]'])(
    "has none for %j",
    (text) => {
      expect(parseRules(text)).toBeUndefined();
    },
  );
});

describe("diffLines", () => {
  it("shows what goes and what comes, and keeps the rest", () => {
    const shown = diffLines("a\nb\nc\nd", "a\nx\nc\nd\ne").map(({ kind, text }) => `${kind[0]} ${text}`);
    expect(shown).toEqual(["s a", "r b", "a x", "s c", "s d", "a e"]);
    expect(diffLines("a", "a")).toEqual([{ kind: "same", text: "a" }]);
  });
});
