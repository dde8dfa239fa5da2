/**
 * Patterns of Python's `re`, in bounded time.
 *
 * RE2 runs what it supports, in time linear in the text. Other patterns (lookarounds, backreferences, Unicode word boundaries)
 * run on our own backtracking engine, within a step budget.
 */
import { RE2JS } from "re2js";

import { parseRegex } from "./regex-parser.js";
import { hasSmallAutomaton } from "./automaton-size.js";
import { requiredText } from "./required-text.js";
import { runProgram } from "./regex-machine.js";
import { toProgram, type RegexProgram } from "./regex-program.js";
import { RegexSyntaxError, type RegexNode } from "./regex-syntax.js";
import { toRe2 } from "./regex-to-re2.js";
import { spend, type StepBudget } from "../python/step-budget.js";

/** A compiled pattern. */
export interface Regex {
  readonly engine: "re2" | "steps";
  /**
   * Whether a text has a match anywhere, as `re.search` finds it.
   *
   * @throws {StepBudgetError} The budget ran out.
   */
  search(text: string, budget: StepBudget): boolean;
}

/** Parsing time grows with the length; patterns in real mappings are far shorter. */
const MAX_PATTERN_LENGTH = 4096;

/** The cost of compiling, in steps: per pattern, per character, and per range of its sets. */
const COST_OF_PATTERN = 1000;
const COST_OF_CHARACTER = 100;
const COST_OF_RANGE = 20;

/** Steps for compiling all patterns of a mapping: about a second. */
export const READING_BUDGET = 10_000_000;

/**
 * Compiles a pattern.
 *
 * @throws {RegexSyntaxError} Python would reject the pattern, or no engine supports it.
 * @throws {StepBudgetError} The budget ran out.
 */
export function compileRegex(pattern: string, budget: StepBudget = { left: READING_BUDGET }): Regex {
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new RegexSyntaxError(`longer than ${MAX_PATTERN_LENGTH} characters`, MAX_PATTERN_LENGTH);
  spend(budget, COST_OF_PATTERN + pattern.length * COST_OF_CHARACTER);
  const node = parseRegex(pattern);
  const program = toProgram(node);
  return afterSubstringCheck(requiredText(node), onRe2(node, program, budget) ?? onProgram(program));
}

/** Searches for the required substring first: that is faster than any engine. */
function afterSubstringCheck(required: string, regex: Regex): Regex {
  return {
    engine: regex.engine,
    search(text, budget) {
      spend(budget, 1 + (text.length >> 10));
      return text.includes(required) && regex.search(text, budget);
    },
  };
}

/** RE2 is slow to compile and search larger programs; our own engine counts its steps. */
const MAX_RE2_STEPS = 200;

/** The cost of an RE2 search in steps, and how many characters cost one more. */
const COST_OF_SEARCH = 4;
const CHARACTERS_PER_STEP = 8;

/**
 * Never matches. It keeps RE2 from its one-pass method for anchored patterns, which computes captures and is four times slower
 * than the DFA.
 */
const NEVER = String.raw`|\z[a]`;

function onRe2(node: RegexNode, program: RegexProgram, reading: StepBudget): Regex | undefined {
  if (program.steps.length > MAX_RE2_STEPS) return undefined;
  const ranges = program.steps.map((step) => (step.kind === "set" ? step.set.length / 2 : 0));
  spend(reading, ranges.reduce((sum, count) => sum + count, 0) * COST_OF_RANGE);
  const pattern = toRe2(node);
  if (pattern === undefined || !hasSmallAutomaton(program, reading)) return undefined;
  try {
    const compiled = RE2JS.compile(`(?:${pattern})${NEVER}`);
    return {
      engine: "re2",
      search(text, budget) {
        spend(budget, COST_OF_SEARCH + Math.floor(text.length / CHARACTERS_PER_STEP));
        return compiled.test(text);
      },
    };
  } catch {
    return undefined; // RE2 limits counts, and the product of nested ones.
  }
}

/** The same on the backtracking engine, whatever RE2 supports: tests compare both. */
export function compileForSteps(node: RegexNode): Regex {
  return onProgram(toProgram(node));
}

function onProgram(program: RegexProgram): Regex {
  return { engine: "steps", search: (text, budget) => runProgram(program, text, budget) };
}
