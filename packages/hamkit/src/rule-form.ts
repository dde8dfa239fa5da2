/** Checks of rules that are data, which a user may supply: each member has a check, and a fault names it, its value and what was expected. */
import { showValue } from "./show-value.js";

/** A check of a value: returns what is expected instead, or nothing. */
export type Check = (value: unknown) => string | undefined;

const MAX_LIST = 10_000;

/** How a list of rules is checked. */
export interface RuleListCheck<Rule> {
  /** What a rule is called: `award rule`. */
  readonly kind: string;
  /** The form of a rule. */
  readonly form: Check;
  /** Members that contradict each other; `undefined` for none. */
  readonly contradiction: (rule: Rule) => string | undefined;
  /** @param where Names the rule; `fault` the member, its value and what was expected. */
  readonly error: new (where: string, rule: unknown, fault: string) => Error;
}

/** One rule or a list of them, as read from JSON, each with an `id` of its own. @throws The error of the check. */
export function checkRuleList<Rule extends { readonly id: string }>(
  rules: unknown,
  { kind, form, contradiction, error: RuleError }: RuleListCheck<Rule>,
): readonly Rule[] {
  const list: readonly unknown[] = Array.isArray(rules) ? rules : [rules];
  const ids = new Set<string>();
  for (const [index, rule] of list.entries()) {
    const fault =
      malformed(rule, form) ??
      contradiction(rule as Rule) ??
      (ids.has((rule as Rule).id) ? "id: another rule has it too" : undefined);
    if (fault !== undefined) throw new RuleError(`${kind} ${nameOf(rule, index)}`, rule, fault);
    ids.add((rule as Rule).id);
  }
  return list as readonly Rule[];
}

function nameOf(rule: unknown, index: number): string {
  const name = typeof rule === "object" && rule !== null && "id" in rule ? rule.id : undefined;
  return typeof name === "string" ? showValue(name) : String(index + 1);
}

function malformed(rule: unknown, check: Check): string | undefined {
  if (typeof rule !== "object" || rule === null) return `${showValue(rule)} is not an object`;
  return check(rule);
}

export function flag(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : "true or false";
}

/** Names of members are bounded by the length of the file. */
function anyName(): undefined {
  return undefined;
}

/** A check that may be required of an object. */
interface Field {
  (value: unknown): string | undefined;
  readonly isRequired?: boolean;
}

export function required(check: Check): Field {
  return Object.defineProperty((value: unknown) => check(value), "isRequired", { value: true });
}

export function record(fields: Readonly<Record<string, Field>>): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "an object";
    for (const [name, check] of Object.entries(fields))
      if (check.isRequired === true && !Object.hasOwn(value, name)) return `${name}: missing`;
    for (const [name, each] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (check === undefined)
        return `${showValue(name)}: unknown member, expected ${Object.keys(fields).join(", ")}`;
      const fault = check(each);
      if (fault !== undefined) return within(name, each, fault);
    }
    return undefined;
  };
}

export function arrayOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return "a list";
    if (value.length > MAX_LIST) return `a list of at most ${MAX_LIST}`;
    for (const [index, each] of value.entries()) {
      const fault = check(each);
      if (fault !== undefined) return within(String(index), each, fault);
    }
    return undefined;
  };
}

export function mapOf(check: Check, key: Check = anyName): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "an object";
    for (const [name, each] of Object.entries(value)) {
      const nameFault = key(name);
      if (nameFault !== undefined) return `${showValue(name)}: the name is not ${nameFault}`;
      const fault = check(each);
      if (fault !== undefined) return within(name, each, fault);
    }
    return undefined;
  };
}

/** `facets.0.eachBand.2: "21m" is not a band of ADIF`. */
function within(name: string, value: unknown, fault: string): string {
  const isNested = /^[\w."-]+: /.test(fault);
  return isNested ? `${name}.${fault}` : `${name}: ${showValue(value)} is not ${fault}`;
}

export function matching(pattern: RegExp, expected: string): Check {
  return (value) => (typeof value === "string" && pattern.test(value) ? undefined : expected);
}

export function oneOf(values: readonly string[], expected: string): Check {
  return (value) => (typeof value === "string" && values.includes(value) ? undefined : expected);
}

export function integer(min: number, max: number): Check {
  return (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `an integer from ${min} to ${max}`;
}
