/**
 * Bounds the DFA of a pattern. RE2 builds the DFA lazily and runs in linear time while states recur; `a[ab]{30}` has a state
 * per set of positions of an `a`, and then each character costs as much as the whole pattern.
 */
import { has, rangesOf, type CodePointSet } from "./code-point-set.js";
import type { RegexProgram, RegexStep } from "./regex-program.js";
import { spend, type StepBudget } from "../python/step-budget.js";

/** Patterns in real mappings have some dozens. */
const MAX_STATES = 300;

/** Program steps visited while counting states. */
const MAX_STEPS_VISITED = 100_000;

/**
 * Whether a search has at most `MAX_STATES` DFA states. The program must have no lookarounds and no backreferences.
 *
 * @throws {StepBudgetError} The budget ran out.
 */
export function hasSmallAutomaton({ steps }: RegexProgram, budget: StepBudget): boolean {
  const alphabet = charactersToTry(steps);
  const starts = epsilonClosure(steps, [0], { isStart: false });
  const first = epsilonClosure(steps, [0], { isStart: true });
  const states = new Map([[keyOf(first), first]]);
  let work = 0;
  // Grows while it is iterated.
  for (const state of states.values()) {
    if (isMatch(steps, state)) continue;
    for (const character of alphabet) {
      work += state.size;
      if (work > MAX_STEPS_VISITED) return false;
      spend(budget, state.size);
      const next = [...state].filter((index) => accepts(steps[index], character)).map((index) => index + 1);
      const reached = new Set([...epsilonClosure(steps, next, { isStart: false }), ...starts]);
      states.set(keyOf(reached), reached);
      if (states.size > MAX_STATES) return false;
    }
  }
  return true;
}

const keyOf = (state: ReadonlySet<number>): string => [...state].toSorted((a, b) => a - b).join();

const isMatch = (steps: readonly RegexStep[], state: ReadonlySet<number>): boolean =>
  [...state].some((index) => steps[index]?.kind === "done");

const accepts = (step: RegexStep | undefined, character: number): boolean =>
  step?.kind === "set" && has(step.set, character);

/** The epsilon closure: the steps that consume a character or end the match. Anchors other than the start count as satisfied. */
function epsilonClosure(
  steps: readonly RegexStep[],
  from: readonly number[],
  { isStart }: { readonly isStart: boolean },
): ReadonlySet<number> {
  const seen = new Set<number>();
  const closure = new Set<number>();
  const pending = [...from];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const step = steps[index];
    if (step?.kind === "split") pending.push(step.first, step.second);
    else if (step?.kind === "jump") pending.push(step.to);
    else if (step?.kind === "set" || step?.kind === "done") closure.add(index);
    else if (step?.kind === "anchor" && (isStart || step.where !== "start")) pending.push(index + 1);
  }
  return closure;
}

/** One character of each equivalence class of the pattern's sets. */
function charactersToTry(steps: readonly RegexStep[]): readonly number[] {
  const sets = [...new Set(steps.flatMap((step) => (step.kind === "set" ? [step.set] : [])))];
  const kinds = new Map<string, number>();
  for (const character of new Set([0, ...sets.flatMap(borders)])) {
    const kind = sets.map((set) => (has(set, character) ? 1 : 0)).join("");
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  return [...kinds.values()];
}

/** The first code point of each range, and the first behind it. */
const borders = (set: CodePointSet): number[] => rangesOf(set).flatMap(([from, to]) => [from, to + 1]);
