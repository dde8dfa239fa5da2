/**
 * Rules, compiled to functions: a decision parses nothing. Evaluation follows oslo.policy, with Python's notion of equal texts.
 *
 * A fault, such as a cycle, is thrown and denies even under `not`.
 */
import { wholePythonText } from "../../platform/http/validation/python-text.js";
import { readLeftSide } from "./left-side.js";
import { compileFormat, type RuleAttributes } from "./percent-format.js";
import { RuleFault } from "./rule-fault.js";
import type { PolicyRule } from "./rule.js";

/** A request to decide on. */
interface Question {
  readonly caller: RuleAttributes;
  /** `undefined` while it is not known. */
  readonly target: RuleAttributes | undefined;
  /** Answers of named rules; `undefined` while one is being evaluated. */
  readonly answers: Map<string, boolean | undefined>;
}

/** @returns `undefined` if it comes to a part that depends on the target, which is not known. */
type Check = (question: Question) => boolean | undefined;

export interface Decide {
  /**
   * @param target Flat, with dotted keys: `target.user.id`.
   * @throws {RuleFault}
   */
  (name: string, caller: RuleAttributes, target: RuleAttributes): boolean;
  /** @returns `undefined` if it depends on the target. @throws {RuleFault} */
  (name: string, caller: RuleAttributes): boolean | undefined;
}

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
  const ask: Ask = (name, question) => {
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
  return decide;

  function decide(name: string, caller: RuleAttributes, target: RuleAttributes): boolean;
  function decide(name: string, caller: RuleAttributes): boolean | undefined;
  function decide(name: string, caller: RuleAttributes, target?: RuleAttributes): boolean | undefined {
    return ask(name, { caller, target, answers: new Map() });
  }
}

type Ask = (name: string, question: Question) => ReturnType<Check>;

interface CompileContext {
  readonly ask: Ask;
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
    case "any":
    case "all":
      return compileList(rule, context);
    case "not": {
      const part = compileRule(rule.of, context);
      return (question) => {
        const isHeld = part(question);
        return isHeld === undefined ? undefined : !isHeld;
      };
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

/** In order, up to the first part that decides. */
function compileList(
  { kind, of }: Extract<PolicyRule, { kind: "any" | "all" }>,
  context: CompileContext,
): Check {
  const parts = of.map((part) => compileRule(part, context));
  const isUndecided = kind === "all";
  return (question) => {
    for (const part of parts) {
      const isHeld = part(question);
      if (isHeld !== isUndecided) return isHeld;
    }
    return isUndecided;
  };
}

function compileRole(template: string): Check {
  return filled(template, (caller, text) => {
    const role = text.toLowerCase();
    return (
      Object.hasOwn(caller, "roles") && itemsOf(caller["roles"]).some((name) => lowerCase(name) === role)
    );
  });
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
  if (side.kind === "literal") return filled(right, (_caller, text) => text === side.text);
  if (side.kind === "path") {
    const { path } = side;
    // A constant `None` is what the author of the rule means.
    const isNoneIgnored = !isNoneEqual && compileFormat(right).keys.length > 0;
    return filled(right, (caller, text) => hasValue(caller, { path, text, isNoneIgnored }));
  }
  return filled(right, () => {
    throw new RuleFault(`"${left}" is neither a literal nor an attribute`);
  });
}

/** A check of a text in which `%(name)s` stands for attributes of the target. It does not hold without them. */
function filled(template: string, isHeld: (caller: RuleAttributes, text: string) => boolean): Check {
  const { fill } = compileFormat(template);
  const isConstant = !template.includes("%");
  return ({ caller, target }) => {
    if (target === undefined && !isConstant) return undefined;
    const text = fill(target ?? {});
    return text !== undefined && isHeld(caller, text);
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
