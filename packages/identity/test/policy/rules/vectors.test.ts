/** What oslo.policy answered, where the recordings are at hand. */
import { existsSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { compileRules } from "../../../src/policy/rules/compile-rules.js";
import { parseRule, parseRuleList } from "../../../src/policy/rules/parse-rule.js";
import { effectiveRules, type DefaultRule } from "../../../src/policy/rules/effective-rules.js";
import { RuleFault } from "../../../src/policy/rules/rule-fault.js";
import { mergePolicyFiles } from "../../../src/policy/rules/policy-files.js";
import { ruleProblems } from "../../../src/policy/rules/rule-problems.js";
import type { PolicyRule as Rule } from "../../../src/policy/rules/rule.js";

const VECTORS = new URL("../../../../../../shared/identity/policy/vectors.jsonl", import.meta.url);

interface Vector {
  readonly id: string;
  readonly kind: "rule" | "file";
  readonly rules: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, string>>;
  readonly registered: readonly (DefaultRule & {
    readonly scope_types?: readonly string[];
    readonly removed?: boolean;
  })[];
  readonly conf?: { readonly enforce_scope?: boolean; readonly enforce_new_defaults?: boolean };
  readonly rule: string;
  readonly default_rule?: string;
  readonly creds: Readonly<Record<string, unknown>>;
  readonly target: Readonly<Record<string, unknown>>;
  /** Missing: an error. */
  readonly result?: boolean;
  readonly out_of_scope?: boolean;
}

/** Where the answer is another: `whole-numbers-have-no-fraction`. */
const DIFFERENT = ["generic-0346", "generic-0436", "generic-0439"];

/** Values that files may not have here. */
const isWritable = (value: unknown): boolean =>
  typeof value === "string" ||
  (Array.isArray(value) && value.flat().every((item) => typeof item === "string"));

const parse = (value: unknown): Rule =>
  typeof value === "string" ? parseRule(value) : parseRuleList(value as string[][]);

function answer({ rules, rule, creds, target, default_rule }: Vector): boolean | undefined {
  const parsed = new Map(Object.entries(rules).map(([name, value]) => [name, parse(value)]));
  try {
    return compileRules(parsed, {
      ...(default_rule !== undefined && { defaultRule: default_rule }),
      isNoneEqual: true,
    })(rule, creds, target);
  } catch (error) {
    if (error instanceof RuleFault) return undefined;
    throw error;
  }
}

function vectorsOf(wanted: Vector["kind"]): readonly Vector[] {
  return readFileSync(VECTORS, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Vector)
    .filter(({ kind, out_of_scope }) => kind === wanted && out_of_scope !== true);
}

test.runIf(existsSync(VECTORS))("rules are evaluated as by oslo.policy", () => {
  const vectors = vectorsOf("rule").filter(({ rules }) => Object.values(rules).every(isWritable));
  const others = vectors.filter((vector) => answer(vector) !== vector.result).map(({ id }) => id);
  expect(vectors.length).toBeGreaterThan(800);
  expect(others).toEqual(DIFFERENT);
});

/** The files that count, weakest first. */
function filesOf({ files }: Vector): { readonly file: string; readonly text: string }[] {
  const inFolder = Object.keys(files)
    .filter((name) => /^policy\.d\/[^./][^/]*$/.test(name))
    .toSorted();
  return ["policy.yaml", ...inFolder].flatMap((file) => {
    const text = files[file];
    return text === undefined ? [] : [{ file, text }];
  });
}

function scopeOf({ creds }: Vector): string {
  if (typeof creds["system_scope"] === "string") return "system";
  return typeof creds["domain_id"] === "string" ? "domain" : "project";
}

function fileAnswer(vector: Vector): boolean | "refused" | undefined {
  const { rules, problems } = mergePolicyFiles(filesOf(vector));
  const { registered, conf, rule, creds, target } = vector;
  const builtIn = new Set(registered.flatMap(({ name, deprecated }) => [name, deprecated?.name ?? name]));
  if (problems.length > 0 || ruleProblems(rules, (name) => builtIn.has(name)).length > 0) return "refused";
  const written = new Map([...rules].map(([name, { rule: parsed }]) => [name, parsed]));
  const effective = effectiveRules(registered, written, { isStrict: conf?.enforce_new_defaults ?? true });
  const scopes = registered.find(({ name }) => name === rule)?.scope_types;
  if (scopes !== undefined && !scopes.includes(scopeOf(vector))) return false;
  try {
    return compileRules(effective, { isNoneEqual: true })(rule, creds, target);
  } catch (error) {
    if (error instanceof RuleFault) return undefined;
    throw error;
  }
}

test.runIf(existsSync(VECTORS))("files are read as by oslo.policy, or refused", () => {
  const vectors = vectorsOf("file");
  const others = vectors.filter((vector) => {
    const answered = fileAnswer(vector);
    return answered !== vector.result && answered !== "refused";
  });
  const refused = new Set(
    vectors
      .filter((vector) => vector.result !== undefined && fileAnswer(vector) === "refused")
      .flatMap(filesOf)
      .map(({ text }) => text.replace(/^identity:list_users: ?/, "")),
  );
  expect(vectors.length).toBeGreaterThan(300);
  expect(others.map(({ id }) => id)).toEqual([]);
  // What oslo.policy takes for "everybody may", beside names that nothing has.
  const allowing = ["", "null", "~", '""', "no", "false", "off", "0", "[]", "{}", "{role:member: x}", "!"];
  expect([...refused]).toEqual(expect.arrayContaining(allowing));
  expect(refused.size).toBe(23);
});
