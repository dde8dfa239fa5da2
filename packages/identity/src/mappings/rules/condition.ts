/** One entry of a rule's `remote`: whether an attribute's values pass, and which of them can be filled in. */
import { toNfc } from "../../platform/text/name-characters.js";
import type { RuleProblem } from "../mapping-errors.js";
import { spend, StepBudgetError, type StepBudget } from "../python/step-budget.js";
import type { Regex } from "../regex/regex.js";
import { RegexSyntaxError } from "../regex/regex-syntax.js";
import { show, TESTS, type RemoteItem, type Test } from "./rule-schema.js";
import { textsIn, type Screen } from "./value-reading.js";

/** A condition that is ready to be tried. */
export interface Condition {
  readonly attribute: string;
  readonly test: Test;
  readonly isRegex: boolean;
  /** What the attribute's values are compared with; empty without a test. */
  readonly listed: readonly unknown[];
  /** Whether its values can be filled in: all but those of any_one_of and not_any_of. */
  readonly givesValues: boolean;
  /** `undefined` where values pass whatever is read from them, or are listed whole. */
  readonly screen: Screen | undefined;
  /**
   * What the condition lets through of an attribute's values, or `undefined` if it does not hold.
   *
   * @throws {StepBudgetError} The budget ran out.
   */
  pass(values: readonly string[], budget: StepBudget): readonly string[] | undefined;
}

export interface Context {
  readonly place: string;
  readonly problems: RuleProblem[];
  /** What reading all patterns of the rules may still cost. */
  readonly budget: StepBudget;
  readonly readPattern: ReadPattern;
}

/** Reads a pattern: `compileRegex`, or what it has given before. */
export type ReadPattern = (pattern: string, budget: StepBudget) => Regex;

/** A condition, ready to be tried. Faults in its list are added to `problems`. */
export function compileCondition(item: RemoteItem, { place, ...context }: Context): Condition {
  const test = TESTS.find((name) => item[name] !== undefined) ?? "present";
  const isRegex = item.regex === true;
  const listed = test === "present" ? [] : (item[test] ?? []);
  const below = { ...context, place: `${place}.${test}` };
  const isAsWritten = isRegex ? matchesOneOf(listed, below) : isOneOf(listed, below);
  const isListed = KEEPS_OUT.has(test) ? orNormalized(isAsWritten) : isAsWritten;
  return {
    attribute: item.type,
    test,
    isRegex,
    listed,
    givesValues: test !== "any_one_of" && test !== "not_any_of",
    screen: screenOf(test, { isListed, isRegex }),
    pass: passes(test, { isListed, isRegex }),
  };
}

/** A text that a whitelist has letter for letter was meant as it is, with whatever can be read from it. */
function screenOf(
  test: Test,
  { isListed, isRegex }: { readonly isListed: IsListed; readonly isRegex: boolean },
): Screen | undefined {
  if (test === "blacklist") return { test, letsThrough: (text, budget) => !isListed(text, budget) };
  return test === "whitelist" && isRegex ? { test, letsThrough: isListed } : undefined;
}

/** Tests whose list names what must not pass. */
const KEEPS_OUT: ReadonlySet<Test> = new Set(["blacklist", "not_any_of"]);

/** A name is looked up in normalization form C, so that another form of a listed one must not pass either. */
function orNormalized(isListed: IsListed): IsListed {
  return (value, budget) => {
    const normalized = toNfc(value);
    return isListed(value, budget) || (normalized !== value && isListed(normalized, budget));
  };
}

type IsListed = (value: string, budget: StepBudget) => boolean;

/** What it costs in steps to look a value up. */
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
      // Keystone takes a set here, except that a whitelist of patterns keeps what occurs twice.
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
 * A set, as a list. Python's sets have no order to rely on, except that the empty text usually comes first: its hash is
 * 0. The others are in the order of the assertion, so that the same login always gives the same.
 */
function distinct(values: readonly string[]): readonly string[] {
  if (values.length < 2) return values;
  const texts = new Set(values);
  return texts.delete("") ? ["", ...texts] : [...texts];
}

/** Numbers and the like are no faults: they are allowed, and equal to no attribute's text. */
function isOneOf(listed: readonly unknown[], { place, problems }: Context): IsListed {
  for (const [index, value] of listed.entries())
    if (typeof value === "object" && value !== null)
      problems.push({ place: `${place}[${index}]`, fault: `expected a text, found ${show(value)}` });
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
      problems.push({ place, fault: `${show(pattern)} is one too many: the patterns take too long to read` });
      return undefined;
    }
    if (!(error instanceof RegexSyntaxError)) throw error;
    problems.push({ place, fault: `${show(pattern)} is no pattern: ${error.message}` });
    return undefined;
  }
}
