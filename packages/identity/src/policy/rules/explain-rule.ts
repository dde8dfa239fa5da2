/** How a rule came to its decision, step by step. */
import { wholePythonText } from "../../platform/http/validation/python-text.js";
import { compileRules } from "./compile-rules.js";
import { readLeftSide } from "./left-side.js";
import { compileFormat, type RuleAttributes } from "./percent-format.js";
import type { PolicyRule } from "./rule.js";
import { ruleText } from "./rule-text.js";

export interface RuleStep {
  /** The part of the rule, as a text. */
  readonly text: string;
  /** `undefined` if it failed. */
  readonly holds: boolean | undefined;
  /** What was compared, or what a name stands for. */
  readonly reason: string;
  readonly steps: readonly RuleStep[];
}

export interface RuleQuestion {
  readonly rules: ReadonlyMap<string, PolicyRule>;
  readonly caller: RuleAttributes;
  readonly target: RuleAttributes;
}

/** Steps within each other: rules may refer to rules hundreds of times. */
const MAX_DEPTH = 30;

/** Characters of a value that are shown. */
const MAX_SHOWN = 200;

export function explainRule(rule: PolicyRule, question: RuleQuestion, depth = 0): RuleStep {
  const inner = (part: PolicyRule): RuleStep => explainRule(part, question, depth + 1);
  const steps = depth > MAX_DEPTH ? [] : partsOf(rule, question).map(inner);
  return { text: ruleText(rule), holds: decide(rule, question), reason: reasonOf(rule, question), steps };
}

function partsOf(rule: PolicyRule, { rules }: RuleQuestion): readonly PolicyRule[] {
  if (rule.kind === "any" || rule.kind === "all") return rule.of;
  if (rule.kind === "not") return [rule.of];
  const named = rule.kind === "rule" ? rules.get(rule.name) : undefined;
  return named === undefined ? [] : [named];
}

/** The name is none that a file can have. */
const ASKED = "\u0000";

function decide(rule: PolicyRule, { rules, caller, target }: RuleQuestion): boolean | undefined {
  try {
    return compileRules(new Map([...rules, [ASKED, rule]]))(ASKED, caller, target);
  } catch {
    return undefined;
  }
}

function reasonOf(rule: PolicyRule, { rules, caller, target }: RuleQuestion): string {
  if (rule.kind === "rule") return rules.has(rule.name) ? "" : "no such rule";
  if (rule.kind === "role") return `the caller's roles: ${shown(caller["roles"])}`;
  if (rule.kind !== "compare") return "";
  const { keys } = compileFormat(rule.right);
  const missing = keys.filter((key) => !Object.hasOwn(target, key));
  if (missing.length > 0) return `the request has no ${missing.join(", ")}`;
  const side = readLeftSide(rule.left);
  const left = side.kind === "path" ? [`${rule.left} is ${shown(valueAt(caller, side.path))}`] : [];
  return [...left, ...keys.map((key) => `${key} is ${shown(target[key])}`)].join(", ");
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => valueAt(item, path));
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt((value as RuleAttributes)[key], rest);
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  const text = wholePythonText(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}

/** Lines for a terminal: the part, its outcome, and why. */
export function linesOf({ text, holds, reason, steps }: RuleStep, indent = ""): string[] {
  const outcome = holds === undefined ? "FAILS" : holds ? "holds" : "does not hold";
  const line = `${indent}${text}: ${outcome}${reason === "" ? "" : ` (${reason})`}`;
  return [line, ...steps.flatMap((step) => linesOf(step, `${indent}  `))];
}
