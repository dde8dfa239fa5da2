import fc from "fast-check";
import { describe, expect, it, test } from "vitest";

import { compileRules } from "../../../src/policy/rules/compile-rules.js";
import { parseRule } from "../../../src/policy/rules/parse-rule.js";
import { readPolicyFile } from "../../../src/policy/rules/policy-file.js";
import { mergePolicyFiles } from "../../../src/policy/rules/policy-files.js";
import { ruleProblems } from "../../../src/policy/rules/rule-problems.js";

const decide = (text: string, caller: Readonly<Record<string, unknown>> = {}): boolean =>
  compileRules(new Map([["r", parseRule(text)]]))("r", caller, {});

/** The problems of a file with rules that know two built-in names. */
function problemsOf(text: string): string[] {
  const { rules, problems } = readPolicyFile(text, "policy.yaml");
  const isBuiltIn = (name: string) => ["identity:get_user", "admin_required"].includes(name);
  return [...problems, ...ruleProblems(rules, isBuiltIn)].map(
    ({ line, rule, reason }) => `${line} ${rule ?? "-"}: ${reason}`,
  );
}

describe("a policy file is refused for", () => {
  test.each([
    "no",
    "off",
    "false",
    "0",
    "",
    "~",
    '""',
    "' '",
    "!",
    "[]",
    "[[]]",
    "{}",
    "yes",
    "1",
    "2026-11-26",
  ])("the value %j, by rule and line", (value) => {
    expect(problemsOf(`# who may read\nidentity:get_user: ${value}\n`)).toEqual([
      expect.stringMatching(/^2 identity:get_user: .*expected/),
    ]);
  });

  test.each([
    ["not over what can't be read", "not rule:a or member", "identity:get_user: "],
    ["an unknown rule", "rule:admin_requird", 'rule "admin_requird" is neither'],
    ["an unknown attribute", "user_name:kim", '"user_name:kim"'.slice(0, 10)],
    ["a check that asks another server", "http://127.0.0.1/policy", "asks another server"],
    ["a rule that refers to itself", "not rule:identity:get_user", "refers to itself"],
    ["a missing parenthesis", "(role:admin", 'where ")" is expected'],
  ])("%s", (_, rule, reason) => {
    expect(problemsOf(`identity:get_user: ${JSON.stringify(rule)}`).join("\n")).toContain(reason);
  });

  test.each([
    ["duplicate rules", "admin_required: role:a\nadmin_required: role:b"],
    ["two documents", "admin_required: role:a\n---\nadmin_required: role:b"],
    ["a list", "- role:admin"],
    ["U+0000", "admin_required: role:a\0"],
    ["its size", `admin_required: role:${"a".repeat(1 << 20)}`],
    ["nesting of brackets", `admin_required: ${"[".repeat(50_000)}`],
    ["nesting of lists", `admin_required:\n${"- ".repeat(50_000)}x`],
    ["nesting by lines", Array.from({ length: 1000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
    ["an unknown tag", "admin_required: !!python/name:os.system x"],
    [
      "aliases that multiply",
      `a0: &a0 [x:y]\n${Array.from({ length: 30 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`).join("\n")}`,
    ],
  ])("%s", (_, text) => {
    expect(problemsOf(text)).not.toEqual([]);
  });
});

it("takes nothing from the other files for one that is broken", () => {
  const { rules, problems } = mergePolicyFiles([
    { file: "a", text: "x: role:a" },
    { file: "b", text: "{" },
    { file: "c", text: "y: role:b" },
  ]);
  expect([...rules.keys()]).toEqual(["x", "y"]);
  expect(problems.map(({ file }) => file)).toContain("b");
});

describe("a rule", () => {
  it("denies, even under not, where its evaluation fails", () => {
    expect(() => decide("not token.user.id:x", { token: null })).toThrow("leads through");
    expect(() => decide("not rule:r")).toThrow("refers to itself");
  });

  it("is bounded in nesting and evaluates a doubling chain once for each name", () => {
    expect(parseRule(`${"not ".repeat(10_000)}@`).kind).toBe("unreadable");
    const chain = Array.from({ length: 60 }, (_, index): [string, ReturnType<typeof parseRule>] => [
      `r${index}`,
      parseRule(`rule:r${index + 1} and rule:r${index + 1}`),
    ]);
    expect(compileRules(new Map([...chain, ["r60", parseRule("@")]]))("r0", {}, {})).toBe(true);
  });

  it("of any text is read without an exception, and denies if it has no valid part", () => {
    const words = [
      "role:a",
      "rule:b",
      "and",
      "or",
      "not",
      "(",
      ")",
      "word",
      "'x'",
      "x:%(y)s",
      "%",
      ":",
      "1:1",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }), (chosen) => {
        expect(parseRule(chosen.join(" "))).toBeDefined();
      }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), (text) => {
        fc.pre(!/[@!:]|not/i.test(text));
        expect(decide(text)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});
