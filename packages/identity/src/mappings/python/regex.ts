/**
 * Patterns of Python's `re`, in time that has a limit.
 *
 * RE2 takes what it can, in time linear in the text. What it can't say (looks to either side, references, boundaries
 * between words of any script) runs on a machine of our own, within a budget of steps.
 */
import { RE2JS } from "re2js";

import { parseRegex } from "./regex-parser.js";
import { runProgram, spend, type StepBudget } from "./regex-machine.js";
import { toProgram } from "./regex-program.js";
import { RegexSyntaxError, type RegexNode } from "./regex-syntax.js";
import { toRe2 } from "./regex-to-re2.js";

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

/**
 * A pattern, ready to be searched for.
 *
 * @throws {RegexSyntaxError} Python would refuse the pattern, or neither engine takes it.
 */
export function compileRegex(pattern: string): Regex {
  if (pattern.length > LONGEST_PATTERN)
    throw new RegexSyntaxError(`longer than ${LONGEST_PATTERN} characters`, LONGEST_PATTERN);
  const node = parseRegex(pattern);
  return onRe2(node) ?? onSteps(node);
}

/**
 * In instructions. Of larger patterns RE2 can make so many states that even its time is long; the machine of our own
 * counts what it does.
 */
const LARGEST_FOR_RE2 = 200;

/**
 * What never matches, because nothing comes behind the end. It keeps RE2 from a method for anchored patterns that finds
 * the parts of a match, and is four times slower than the automaton that only says whether there is one.
 */
const NEVER = String.raw`|\z[a]`;

function onRe2(node: RegexNode): Regex | undefined {
  const pattern = toRe2(node);
  if (pattern === undefined) return undefined;
  try {
    const compiled = RE2JS.compile(`(?:${pattern})${NEVER}`);
    const size = compiled.programSize();
    if (size > LARGEST_FOR_RE2) return undefined;
    return {
      engine: "re2",
      search(text, budget) {
        spend(budget, Math.floor((text.length * size) / 32));
        return compiled.test(text);
      },
    };
  } catch {
    return undefined; // Counts within counts: RE2 limits their product.
  }
}

/** The same on our own machine, whatever RE2 could do. */
export function onSteps(node: RegexNode): Regex {
  const program = toProgram(node);
  return { engine: "steps", search: (text, budget) => runProgram(program, text, budget) };
}
