/**
 * Rules, compiled to functions: a decision parses nothing. Evaluation follows oslo.policy, with Python's notion of equal texts.
 *
 * A fault, such as a cycle, is thrown and denies even under `not`.
 */
import { wholePythonText } from "../../platform/http/validation/python-text.js";
import { readLeftSide } from "./left-side.js";
import { compileFormat, type RuleAttributes, type Formatter } from "./percent-format.js";
import { RuleFault } from "./rule-fault.js";
import type { PolicyRule } from "./rule.js";

/** A request to decide on. */
interface Question {
  readonly caller: RuleAttributes;
  readonly target: RuleAttributes;
  /** Answers of named rules; `undefined` while one is being evaluated. */
  readonly answers: Map<string, boolean | undefined>;
}

type Check = (question: Question) => boolean;

/**
 * @param target Flat, with dotted keys: `target.user.id`.
 * @throws {RuleFault}
 */
export type Decide = (name: string, caller: RuleAttributes, target: RuleAttributes) => boolean;

/** The name of the rule that stands for unknown ones, if it is defined. */
export const DEFAULT_RULE = "default";

export interface CompileOptions {
  readonly defaultRule?: string;
  /**
   * Whether an attribute of the caller that is `None` equals one of the target that is, as in oslo.policy: there a token without a
   * domain passes `domain_id:%(target.project.domain_id)s` for a project without one. No, if left out.
   */
  readonly isNoneEqual?: boolean;
}

export function compileRules(
  rules: ReadonlyMap<string, PolicyRule>,
  { defaultRule = DEFAULT_RULE, isNoneEqual = false }: CompileOptions = {},
): Decide {
  const checks = new Map<string, Check>();
  const ask = (name: string, question: Question): boolean => {
    const known = checks.has(name) ? name : defaultRule;
    const check = checks.get(known);
    if (check === undefined) return false;
    const answer = question.answers.get(known);
    if (answer !== undefined) return answer;
    if (question.answers.has(known)) throw new RuleFault(`rule "${known}" refers to itself`);
    question.answers.set(known, undefined);
    const isHeld = check(question);
    question.answers.set(known, isHeld);
    return isHeld;
  };
  for (const [name, rule] of rules) checks.set(name, compileRule(rule, { ask, isNoneEqual }));
  return (name, caller, target) => ask(name, { caller, target, answers: new Map() });
}

interface CompileContext {
  readonly ask: (name: string, question: Question) => boolean;
  readonly isNoneEqual: boolean;
}

function compileRule(rule: PolicyRule, context: CompileContext): Check {
  switch (rule.kind) {
    case "allow":
      return () => true;
    case "deny":
    case "remote":
    case "unreadable":
      return () => false;
    case "any": {
      const parts = rule.of.map((part) => compileRule(part, context));
      return (question) => parts.some((part) => part(question));
    }
    case "all": {
      const parts = rule.of.map((part) => compileRule(part, context));
      return (question) => parts.every((part) => part(question));
    }
    case "not": {
      const part = compileRule(rule.of, context);
      return (question) => !part(question);
    }
    case "rule":
      return (question) => context.ask(rule.name, question);
    case "role":
      return compileRole(rule.role);
    case "compare":
      return compileComparison(rule, context);
    default:
      return rule satisfies never;
  }
}

function compileRole(template: string): Check {
  const { fill } = compileFormat(template);
  return ({ caller, target }) => {
    const role = fill(target)?.toLowerCase();
    if (role === undefined || !Object.hasOwn(caller, "roles")) return false;
    return itemsOf(caller["roles"]).some((name) => lowerCase(name) === role);
  };
}

/** What Python's `for` goes over: of a text its letters, of a map its keys. Callers of this service have lists. */
function itemsOf(roles: unknown): readonly unknown[] {
  if (Array.isArray(roles)) return roles;
  if (typeof roles === "string") return Array.from(roles);
  if (typeof roles === "object" && roles !== null) return Object.keys(roles);
  throw new RuleFault("the caller's roles are no list");
}

function lowerCase(name: unknown): string {
  if (typeof name !== "string") throw new RuleFault("the name of a role is no text");
  return name.toLowerCase();
}

function compileComparison(
  { left, right }: { readonly left: string; readonly right: string },
  { isNoneEqual }: CompileContext,
): Check {
  const side = readLeftSide(left);
  const { fill, keys } = compileFormat(right);
  if (side.kind === "literal") return compared(fill, (_caller, text) => text === side.text);
  if (side.kind === "path") {
    const { path } = side;
    // A constant `None` is what the author of the rule means.
    const isNoneIgnored = !isNoneEqual && keys.length > 0;
    return compared(fill, (caller, text) => hasValue(caller, { path, text, isNoneIgnored }));
  }
  return compared(fill, () => {
    throw new RuleFault(`"${left}" is neither a literal nor an attribute`);
  });
}

function compared(fill: Formatter, isEqual: (caller: RuleAttributes, text: string) => boolean): Check {
  return ({ caller, target }) => {
    const text = fill(target);
    return text !== undefined && isEqual(caller, text);
  };
}

interface Wanted {
  readonly path: readonly string[];
  readonly text: string;
  readonly isNoneIgnored: boolean;
}

/** Whether a value at the end of a path is written so. Of a list, one item suffices. */
function hasValue(value: unknown, wanted: Wanted, at = 0): boolean {
  const { path, text, isNoneIgnored } = wanted;
  const key = path[at];
  if (key === undefined) return !(isNoneIgnored && isNone(value)) && wholePythonText(value) === text;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RuleFault(`"${path.join(".")}" leads through what has no attributes`);
  if (!Object.hasOwn(value, key)) return false;
  const member = (value as RuleAttributes)[key];
  if (!Array.isArray(member)) return hasValue(member, wanted, at + 1);
  return member.some((item) => hasValue(item, wanted, at + 1));
}

const isNone = (value: unknown): boolean => value === null || value === undefined;
