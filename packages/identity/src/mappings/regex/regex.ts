/**
 * Patterns of Python's `re`, in time that has a limit.
 *
 * RE2 takes what it can, in time linear in the text. What it can't say (looks to either side, references, boundaries
 * between words of any script) runs on a machine of our own, within a budget of steps.
 */
import { RE2JS } from "re2js";

import { parseRegex } from "./regex-parser.js";
import { hasSmallAutomaton } from "./automaton-size.js";
import { neededText } from "./needed-text.js";
import { runProgram } from "./regex-machine.js";
import { toProgram, type RegexProgram } from "./regex-program.js";
import { RegexSyntaxError, type RegexNode } from "./regex-syntax.js";
import { toRe2 } from "./regex-to-re2.js";
import { spend, type StepBudget } from "../python/step-budget.js";

/** A pattern that is ready to be searched for. */
export interface Regex {
  /** Which engine takes it. */
  readonly engine: "re2" | "steps";
  /**
   * Whether a text has a match anywhere, as `re.search` finds it.
   *
   * @throws {StepBudgetError} The budget ran out.
   */
  search(text: string, budget: StepBudget): boolean;
}

/** A longer pattern is refused: nobody writes one, and reading it takes time. */
const LONGEST_PATTERN = 4096;

/** What reading a pattern costs at the most, in steps: whatever it is, by its characters, and by the ranges of its sets. */
const COST_OF_PATTERN = 1000;
const COST_OF_CHARACTER = 100;
const COST_OF_RANGE = 20;

/** Steps that reading all patterns of some rules may take: about a second. */
export const READING_BUDGET = 10_000_000;

/**
 * A pattern, ready to be searched for.
 *
 * @throws {RegexSyntaxError} Python would refuse the pattern, or neither engine takes it.
 * @throws {StepBudgetError} The budget ran out.
 */
export function compileRegex(pattern: string, budget: StepBudget = { left: READING_BUDGET }): Regex {
  if (pattern.length > LONGEST_PATTERN)
    throw new RegexSyntaxError(`longer than ${LONGEST_PATTERN} characters`, LONGEST_PATTERN);
  spend(budget, COST_OF_PATTERN + pattern.length * COST_OF_CHARACTER);
  const node = parseRegex(pattern);
  const program = toProgram(node);
  return afterGlance(neededText(node), onRe2(node, program, budget) ?? onProgram(program));
}

/** Looks for a text first that each match has in it: that is faster than any engine. */
function afterGlance(needed: string, regex: Regex): Regex {
  return {
    engine: regex.engine,
    search(text, budget) {
      spend(budget, 1 + (text.length >> 10));
      return text.includes(needed) && regex.search(text, budget);
    },
  };
}

/** In steps. Larger patterns take RE2 long to read, and to search with; the machine of our own counts what it does. */
const LARGEST_FOR_RE2 = 200;

/** What a search by RE2 costs, in steps of our own machine; and how many characters cost one more. */
const COST_OF_SEARCH = 4;
const CHARACTERS_PER_STEP = 8;

/**
 * What never matches, because nothing comes behind the end. It keeps RE2 from a method for anchored patterns that finds
 * the parts of a match, and is four times slower than the automaton that only says whether there is one.
 */
const NEVER = String.raw`|\z[a]`;

function onRe2(node: RegexNode, program: RegexProgram, reading: StepBudget): Regex | undefined {
  if (program.steps.length > LARGEST_FOR_RE2) return undefined;
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
    return undefined; // Counts within counts: RE2 limits their product.
  }
}

/** The same on our own machine, whatever RE2 could do. */
export function onSteps(node: RegexNode): Regex {
  return onProgram(toProgram(node));
}

function onProgram(program: RegexProgram): Regex {
  return { engine: "steps", search: (text, budget) => runProgram(program, text, budget) };
}
