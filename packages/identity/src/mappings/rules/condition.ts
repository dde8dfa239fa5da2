/** Compiles one entry of a rule's `remote`: whether an attribute's values pass, and which of them fill templates. */
import { toNfc } from "../../platform/text/name-characters.js";
import type { RuleProblem } from "../mapping-errors.js";
import { spend, StepBudgetError, type StepBudget } from "../python/step-budget.js";
import type { Regex } from "../regex/regex.js";
import { RegexSyntaxError } from "../regex/regex-syntax.js";
import { show, TESTS, type RemoteItem, type Test } from "./rule-schema.js";
import { textsIn, type ValueFilter } from "./value-reading.js";

/** A compiled condition. */
export interface Condition {
  readonly attribute: string;
  readonly test: Test;
  readonly isRegex: boolean;
  /** The list that the values are compared with; empty without a test. */
  readonly listed: readonly unknown[];
  /** Whether its values fill templates: those of any_one_of and not_any_of don't. */
  readonly givesValues: boolean;
  /** Filters what is parsed from the values; `undefined` where anything may be parsed from them. */
  readonly filter: ValueFilter | undefined;
  /**
   * The values that pass; `undefined` if the condition does not hold.
   *
   * @throws {StepBudgetError} The budget ran out.
   */
  pass(values: readonly string[], budget: StepBudget): readonly string[] | undefined;
}

export interface Context {
  readonly place: string;
  readonly problems: RuleProblem[];
  /** For compiling all patterns of the mapping. */
  readonly budget: StepBudget;
  readonly readPattern: ReadPattern;
}

/** Compiles a pattern, or returns the result of an earlier compilation. */
export type ReadPattern = (pattern: string, budget: StepBudget) => Regex;

/** Compiles a condition. Faults in its list are added to `problems`. */
export function compileCondition(item: RemoteItem, { place, ...context }: Context): Condition {
  const test = TESTS.find((name) => item[name] !== undefined) ?? "present";
  const isRegex = item.regex === true;
  const listed = test === "present" ? [] : (item[test] ?? []);
  const below = { ...context, place: `${place}.${test}` };
  const isAsWritten = isRegex ? matchesOneOf(listed, below) : isOneOf(listed, below);
  const isListed = DENYING.has(test) ? orNormalized(isAsWritten) : isAsWritten;
  return {
    attribute: item.type,
    test,
    isRegex,
    listed,
    givesValues: test !== "any_one_of" && test !== "not_any_of",
    filter: filterOf(test, { isListed, isRegex }),
    pass: passes(test, { isListed, isRegex }),
  };
}

/** The names of the attributes that fill a template. */
export function attributesFilling(template: string, conditions: readonly Condition[]): string[] {
  const giving = conditions.filter(({ givesValues }) => givesValues);
  const numbers = Array.from(template.replaceAll("{{", "").matchAll(/\{(\d+)/g), ([, digits]) =>
    Number(digits),
  );
  return [...new Set(numbers.flatMap((number) => giving[number]?.attribute ?? []))];
}

/** A value that a whitelist contains literally is trusted, with everything parsed from it. */
function filterOf(
  test: Test,
  { isListed, isRegex }: { readonly isListed: IsListed; readonly isRegex: boolean },
): ValueFilter | undefined {
  if (test === "blacklist") return { test, accepts: (text, budget) => !isListed(text, budget) };
  return test === "whitelist" && isRegex ? { test, accepts: isListed } : undefined;
}

/** Tests whose list names rejected values. */
const DENYING: ReadonlySet<Test> = new Set(["blacklist", "not_any_of"]);

/** Names are looked up in normalization form C, so other forms of a listed name are rejected too. */
function orNormalized(isListed: IsListed): IsListed {
  return (value, budget) => {
    const normalized = toNfc(value);
    return isListed(value, budget) || (normalized !== value && isListed(normalized, budget));
  };
}

type IsListed = (value: string, budget: StepBudget) => boolean;

/** The cost of a look-up, in steps. */
const COST_OF_VALUE = 2;

function passes(
  test: Test,
  { isListed, isRegex }: { readonly isListed: IsListed; readonly isRegex: boolean },
): Condition["pass"] {
  switch (test) {
    case "any_one_of":
      return (values, budget) => (values.some((value) => isListed(value, budget)) ? values : undefined);
    case "not_any_of":
      return (values, budget) =>
        textsIn(values, budget).some((text) => isListed(text, budget)) ? undefined : values;
    case "whitelist":
      // Keystone makes a set, except that a whitelist of patterns keeps duplicates.
      return isRegex
        ? (values, budget) => values.filter((value) => isListed(value, budget))
        : (values, budget) => distinct(values.filter((value) => isListed(value, budget)));
    case "blacklist":
      return (values, budget) => distinct(values.filter((value) => !isListed(value, budget)));
    default:
      return (values) => values;
  }
}

/**
 * Removes duplicates. Python's sets have no reliable order, except that the empty string usually comes first: its hash is 0.
 * The others keep the order of the assertion, so that equal logins have equal results.
 */
function distinct(values: readonly string[]): readonly string[] {
  if (values.length < 2) return values;
  const texts = new Set(values);
  return texts.delete("") ? ["", ...texts] : [...texts];
}

/** Scalars other than strings are allowed; they equal no attribute's value. */
function isOneOf(listed: readonly unknown[], { place, problems }: Context): IsListed {
  for (const [index, value] of listed.entries())
    if (typeof value === "object" && value !== null)
      problems.push({ place: `${place}[${index}]`, fault: `expected a string, found ${show(value)}` });
  const texts = new Set(listed.filter((value) => typeof value === "string"));
  return (value, budget) => {
    spend(budget, COST_OF_VALUE);
    return texts.has(value);
  };
}

function matchesOneOf(listed: readonly unknown[], { place, ...context }: Context): IsListed {
  const patterns = listed
    .map((pattern, index) => compilePattern(pattern, { ...context, place: `${place}[${index}]` }))
    .filter((pattern) => pattern !== undefined);
  return (value, budget) => patterns.some((pattern) => pattern.search(value, budget));
}

function compilePattern(
  pattern: unknown,
  { place, problems, budget, readPattern }: Context,
): Regex | undefined {
  if (typeof pattern !== "string") {
    problems.push({ place, fault: `expected a pattern, found ${show(pattern)}` });
    return undefined;
  }
  try {
    return readPattern(pattern, budget);
  } catch (error) {
    if (error instanceof StepBudgetError) {
      problems.push({
        place,
        fault: `${show(pattern)}: compiling the patterns of the mapping takes too long`,
      });
      return undefined;
    }
    if (!(error instanceof RegexSyntaxError)) throw error;
    problems.push({ place, fault: `invalid pattern ${show(pattern)}: ${error.message}` });
    return undefined;
  }
}
