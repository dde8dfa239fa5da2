/** The backtracking engine: runs a pattern's program within a step budget, where Python's `re` has no bound. */
import { ASCII_WORD, has, wordCharacters } from "./code-point-set.js";
import { toLower } from "./letter-case.js";
import type { RegexProgram, RegexStep } from "./regex-program.js";
import type { RegexAnchor } from "./regex-syntax.js";
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
  // A state that failed from one start fails from any other, unless captures matter.
  const failed = failures(program);
  for (let start = 0; start <= run.text.length; start++)
    if (tryPending(run, [{ step: 0, position: start }], failed) !== NOWHERE) return true;
  return false;
}

/** Setup cost, in steps. */
const COST_OF_SEARCH = 4;

/** Cost of a lookaround or an atomic group, which has its own stack. */
const COST_OF_PART = 4;

/** Cost of recording a failed state. */
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

/** An alternative to try, or a slot's value to restore. */
type Pending = State | { readonly slot: number; readonly before: number };

/** Failed states by step and position; `undefined` where captures matter. */
type Failures = Set<number> | undefined;

const failures = ({ isForgetful }: RegexProgram): Failures => (isForgetful ? new Set() : undefined);

/**
 * The end position of the first pending alternative that reaches "done", or NOWHERE. On success slots keep its values and the
 * former values stay pending; on failure slots are restored.
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

/** Follows one alternative until it fails or is done; the others are left pending. */
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
      case "anchor":
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
      case "lookaround":
        if (
          !lookaroundHolds(run, step, { inside: { step: number, position: position - step.back }, pending })
        )
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

/** Matches a part without backtracking into it; the caller can still restore slots. */
function tryApart(run: Run, inside: State, pending: Pending[]): number {
  spend(run.budget, COST_OF_PART);
  const own: Pending[] = [inside];
  const end = tryPending(run, own, failures(run.program));
  if (end !== NOWHERE) for (const entry of own) if ("slot" in entry) pending.push(entry);
  return end;
}

function lookaroundHolds(
  run: Run,
  { wanted }: RegexStep & { kind: "lookaround" },
  { inside, pending }: { readonly inside: State; readonly pending: Pending[] },
): boolean {
  const isThere = inside.position >= 0 && tryApart(run, inside, pending) !== NOWHERE;
  return isThere === wanted;
}

/** Start and end of a group's capture. */
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

function isAt(text: Uint32Array, where: RegexAnchor, position: number): boolean {
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
      // In Python, neither \b nor \B matches in an empty text.
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
