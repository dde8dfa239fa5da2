/**
 * Patterns of Python's `re`, in bounded time.
 *
 * RE2 runs what it supports, in time linear in the text. Other patterns (lookarounds, backreferences, Unicode word boundaries)
 * run on our own backtracking engine, within a step budget.
 */
import { RE2JS } from "re2js";

import { spend, type StepBudget } from "../python/step-budget.js";
import { hasSmallAutomaton } from "./automaton-size.js";
import { LAST_CODE_POINT, rangesOf, type CodePointSet } from "./code-point-set.js";
import { runProgram } from "./regex-machine.js";
import { parseRegex } from "./regex-parser.js";
import { toProgram, type RegexProgram } from "./regex-program.js";
import { RegexSyntaxError, type RegexNode, type RegexAnchor, type RegexRepeat } from "./regex-syntax.js";

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

/** The longest known substring of every match; empty if none is known. A text without it is rejected before any engine runs. */
function requiredText(node: RegexNode): string {
  return runsOf(node).reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** Substrings of every match. Adjacent characters of a sequence form one. */
function runsOf(node: RegexNode): readonly string[] {
  switch (node.kind) {
    case "group":
    case "atomic":
      return runsOf(node.item);
    case "repeat":
      return node.min > 0 ? runsOf(node.item) : [];
    case "sequence":
      return runsOfSequence(node.items);
    default:
      return [characterOf(node) ?? ""];
  }
}

function runsOfSequence(items: readonly RegexNode[]): readonly string[] {
  const runs: string[] = [];
  let current = "";
  for (const item of items) {
    const character = characterOf(item);
    if (character !== undefined) current += character;
    else if (item.kind !== "anchor") {
      runs.push(current, ...runsOf(item));
      current = "";
    }
  }
  return [...runs, current];
}

/** The character of a node that matches exactly one. */
function characterOf(node: RegexNode): string | undefined {
  if (node.kind !== "set") return undefined;
  const [first, last] = node.set;
  return node.set.length === 2 && first !== undefined && first === last
    ? String.fromCodePoint(first)
    : undefined;
}

/**
 * The equivalent RE2 pattern, whose time is linear in the text; `undefined` if there is none. Excluded are features that RE2 lacks
 * (lookarounds, backreferences), and those with another meaning there: Unicode word boundaries, and `$` in the middle. Only the
 * existence of a match counts, so all quantifiers are greedy.
 */
function toRe2(node: RegexNode, { isLast = true } = {}): string | undefined {
  switch (node.kind) {
    case "set":
      return setToRe2(node.set);
    case "anchor":
      return anchorToRe2(node.where, isLast);
    case "sequence":
      return joined(
        node.items.map((item, index) => toRe2(item, { isLast: isLast && index === node.items.length - 1 })),
        "",
      );
    case "alternation": {
      const branches = joined(
        node.branches.map((branch) => toRe2(branch, { isLast })),
        "|",
      );
      return branches === undefined ? undefined : `(?:${branches})`;
    }
    case "group":
      return toRe2(node.item, { isLast });
    case "repeat":
      return repeatToRe2(node, isLast);
    default:
      return undefined;
  }
}

function joined(parts: readonly (string | undefined)[], separator: string): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(separator);
}

function anchorToRe2(where: RegexAnchor, isLast: boolean): string | undefined {
  switch (where) {
    case "start":
      return "\\A";
    case "very-end":
      return "\\z";
    case "line-start":
      return "(?m:^)";
    case "line-end":
      return "(?m:$)";
    case "end":
      return isLast ? "\\n?\\z" : undefined;
    case "ascii-boundary":
      return "\\b";
    default:
      return undefined;
  }
}

function repeatToRe2({ item, min, max, mode }: RegexRepeat, isLast: boolean): string | undefined {
  if (mode === "possessive") return undefined;
  const inside = toRe2(item, { isLast: isLast && max === 1 });
  return inside === undefined ? undefined : `(?:${inside})${quantifier(min, max)}`;
}

function quantifier(min: number, max: number): string {
  return max === Infinity ? `{${min},}` : `{${min},${max}}`;
}

function setToRe2(set: CodePointSet): string {
  const [first, last] = set;
  if (first === undefined) return `[^\\x{0}-\\x{${LAST_CODE_POINT.toString(16)}}]`;
  if (set.length === 2 && first === last) return characterToRe2(first);
  const ranges = rangesOf(set).map(([from, to]) => `${characterToRe2(from)}-${characterToRe2(to)}`);
  return `[${ranges.join("")}]`;
}

function characterToRe2(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return /^[0-9A-Za-z]$/.test(character) ? character : `\\x{${codePoint.toString(16)}}`;
}
