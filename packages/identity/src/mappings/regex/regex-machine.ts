/**
 * Runs the steps of a pattern, within a budget. Python tries ways without an end to it; here a search that takes too
 * many steps is given up, and says so.
 */
import { ASCII_WORD, has, wordCharacters } from "./code-point-set.js";
import { toLower } from "./letter-case.js";
import type { RegexProgram, RegexStep } from "./regex-program.js";
import type { RegexPlace } from "./regex-syntax.js";
import { spend, type StepBudget } from "../python/step-budget.js";

/**
 * Whether a text has a match of the program anywhere.
 *
 * @throws {StepBudgetError} The budget ran out.
 */
export function runProgram(program: RegexProgram, text: string, budget: StepBudget): boolean {
  spend(budget, COST_OF_SEARCH + Math.ceil((text.length + program.slots) / 8));
  const run: Run = {
    program,
    text: codePointsOf(text),
    budget,
    saved: Array.from({ length: program.slots }, () => NOWHERE),
  };
  // Where one start failed another fails too, unless what a group has caught makes a difference.
  const failed = failures(program);
  for (let start = 0; start <= run.text.length; start++)
    if (tryPending(run, [{ step: 0, position: start }], failed) !== NOWHERE) return true;
  return false;
}

/** What getting ready costs, in steps. */
const COST_OF_SEARCH = 4;

/** What a look or an atomic group costs, with its own list of ways to try. */
const COST_OF_PART = 4;

/** What it costs to remember a state where there is no way through. */
const COST_OF_FAILURE = 2;

function codePointsOf(text: string): Uint32Array {
  const codePoints = new Uint32Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const codePoint = text.codePointAt(index) ?? 0;
    codePoints[length++] = codePoint;
    if (codePoint > 0xffff) index++;
  }
  return codePoints.subarray(0, length);
}

interface Run {
  readonly program: RegexProgram;
  readonly text: Uint32Array;
  readonly budget: StepBudget;
  /** Positions by slot. */
  readonly saved: number[];
}

const NOWHERE = -1;

interface State {
  readonly step: number;
  readonly position: number;
}

/** A way to try, or what a slot held before the ways that were tried since. */
type Pending = State | { readonly slot: number; readonly before: number };

/** States from where there is no way through, by step and position. */
type Failures = Set<number> | undefined;

const failures = ({ isForgetful }: RegexProgram): Failures => (isForgetful ? new Set() : undefined);

/**
 * The position behind the first way through from what is pending to the next "done", or NOWHERE. Slots stay as that way
 * left them, and what they held before is left pending; without a way they are as before.
 */
function tryPending(run: Run, pending: Pending[], failed: Failures): number {
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ("slot" in next) {
      run.saved[next.slot] = next.before;
      continue;
    }
    const end = follow(run, next, { pending, failed });
    if (end !== NOWHERE) return end;
  }
  return NOWHERE;
}

/** Follows one way until it fails or is done; the others are left pending. */
function follow(
  run: Run,
  { step: from, position: start }: State,
  { pending, failed }: { readonly pending: Pending[]; readonly failed: Failures },
): number {
  const { steps } = run.program;
  let number = from;
  let position = start;
  for (;;) {
    spend(run.budget, 1);
    const step = steps[number++];
    switch (step?.kind) {
      case undefined:
      case "done":
        return position;
      case "set":
        if (position === run.text.length || !has(step.set, run.text[position] ?? 0)) return NOWHERE;
        position++;
        break;
      case "split": {
        const key = number * (run.text.length + 1) + position;
        if (failed?.has(key) === true) return NOWHERE;
        if (failed !== undefined) {
          spend(run.budget, COST_OF_FAILURE);
          failed.add(key);
        }
        pending.push({ step: step.second, position });
        number = step.first;
        break;
      }
      case "jump":
        number = step.to;
        break;
      case "at":
        if (!isAt(run.text, step.where, position)) return NOWHERE;
        break;
      case "save":
        pending.push({ slot: step.slot, before: run.saved[step.slot] ?? NOWHERE });
        run.saved[step.slot] = position;
        break;
      case "leave-if-empty":
        if (run.saved[step.slot] === position) number = step.to;
        break;
      case "condition":
        if (caught(run, step.group) === undefined) number = step.otherwise;
        break;
      case "reference":
        position = behindReference(run, step, position);
        if (position === NOWHERE) return NOWHERE;
        break;
      case "look":
        if (!looksAs(run, step, { inside: { step: number, position: position - step.back }, pending }))
          return NOWHERE;
        number = step.end;
        break;
      case "atomic":
        position = tryApart(run, { step: number, position }, pending);
        if (position === NOWHERE) return NOWHERE;
        number = step.end;
    }
  }
}

/** The first way through a part, to which there is no coming back; slots can be set back to what they were before it. */
function tryApart(run: Run, inside: State, pending: Pending[]): number {
  spend(run.budget, COST_OF_PART);
  const own: Pending[] = [inside];
  const end = tryPending(run, own, failures(run.program));
  if (end !== NOWHERE) for (const entry of own) if ("slot" in entry) pending.push(entry);
  return end;
}

function looksAs(
  run: Run,
  { wanted }: RegexStep & { kind: "look" },
  { inside, pending }: { readonly inside: State; readonly pending: Pending[] },
): boolean {
  const isThere = inside.position >= 0 && tryApart(run, inside, pending) !== NOWHERE;
  return isThere === wanted;
}

/** Where a group starts and ends, if it has caught something. */
function caught(run: Run, group: number): readonly [start: number, end: number] | undefined {
  const start = run.saved[2 * group] ?? NOWHERE;
  const end = run.saved[2 * group + 1] ?? NOWHERE;
  return start === NOWHERE || end < start ? undefined : [start, end];
}

function behindReference(
  run: Run,
  { group, ignoresCase }: RegexStep & { kind: "reference" },
  position: number,
): number {
  const range = caught(run, group);
  if (range === undefined) return NOWHERE;
  const [start, end] = range;
  if (position + end - start > run.text.length) return NOWHERE;
  const same = (a: number, b: number) =>
    a === b ||
    (ignoresCase !== "no" &&
      toLower(a, { isAscii: ignoresCase === "ascii" }) === toLower(b, { isAscii: ignoresCase === "ascii" }));
  spend(run.budget, end - start);
  for (let offset = 0; offset < end - start; offset++) {
    if (!same(run.text[start + offset] ?? 0, run.text[position + offset] ?? 0)) return NOWHERE;
  }
  return position + end - start;
}

function isAt(text: Uint32Array, where: RegexPlace, position: number): boolean {
  switch (where) {
    case "start":
      return position === 0;
    case "line-start":
      return position === 0 || text[position - 1] === 10;
    case "very-end":
      return position === text.length;
    case "end":
      return position === text.length || (position === text.length - 1 && text[position] === 10);
    case "line-end":
      return position === text.length || text[position] === 10;
    default:
      // To Python, an empty text has neither a boundary nor none.
      return text.length > 0 && isBoundary(text, where, position);
  }
}

const BOUNDARIES = {
  boundary: { words: wordCharacters, wanted: true },
  "no-boundary": { words: wordCharacters, wanted: false },
  "ascii-boundary": { words: () => ASCII_WORD, wanted: true },
  "ascii-no-boundary": { words: () => ASCII_WORD, wanted: false },
};

function isBoundary(text: Uint32Array, where: keyof typeof BOUNDARIES, position: number): boolean {
  const { words, wanted } = BOUNDARIES[where];
  const isWord = (at: number) => at >= 0 && at < text.length && has(words(), text[at] ?? 0);
  return (isWord(position - 1) !== isWord(position)) === wanted;
}
