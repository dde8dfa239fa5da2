/**
 * Whether the automaton of a pattern is small. RE2 makes one as it goes, in time linear in the text as long as states come
 * again; but `a[ab]{30}` has one for each set of places where an `a` was, and then each character costs as much as the
 * whole pattern.
 */
import { has, rangesOf, type CodePointSet } from "./code-point-set.js";
import type { RegexProgram, RegexStep } from "./regex-program.js";
import { spend, type StepBudget } from "../python/step-budget.js";

/** Patterns that people write have some dozens. */
const MOST_STATES = 300;

/** Steps looked at while counting; a pattern that takes more is none that people write. */
const MOST_WORK = 100_000;

/**
 * Whether the states that a search can be in are few. The program has neither looks nor references.
 *
 * @throws {StepBudgetError} The budget ran out.
 */
export function hasSmallAutomaton({ steps }: RegexProgram, budget: StepBudget): boolean {
  const alphabet = charactersToTry(steps);
  const starts = placesFrom(steps, [0], { isStart: false });
  const first = placesFrom(steps, [0], { isStart: true });
  const states = new Map([[keyOf(first), first]]);
  let work = 0;
  // The list grows while it is gone through.
  for (const state of states.values()) {
    if (isMatch(steps, state)) continue;
    for (const character of alphabet) {
      work += state.size;
      if (work > MOST_WORK) return false;
      spend(budget, state.size);
      const next = [...state].filter((place) => accepts(steps[place], character)).map((place) => place + 1);
      const reached = new Set([...placesFrom(steps, next, { isStart: false }), ...starts]);
      states.set(keyOf(reached), reached);
      if (states.size > MOST_STATES) return false;
    }
  }
  return true;
}

const keyOf = (state: ReadonlySet<number>): string => [...state].toSorted((a, b) => a - b).join();

const isMatch = (steps: readonly RegexStep[], state: ReadonlySet<number>): boolean =>
  [...state].some((place) => steps[place]?.kind === "done");

const accepts = (step: RegexStep | undefined, character: number): boolean =>
  step?.kind === "set" && has(step.set, character);

/** The steps that wait for a character, or are done, behind those that don't. Ends of lines and words count as there. */
function placesFrom(
  steps: readonly RegexStep[],
  from: readonly number[],
  { isStart }: { readonly isStart: boolean },
): ReadonlySet<number> {
  const seen = new Set<number>();
  const places = new Set<number>();
  const pending = [...from];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    const step = steps[place];
    if (step?.kind === "split") pending.push(step.first, step.second);
    else if (step?.kind === "jump") pending.push(step.to);
    else if (step?.kind === "set" || step?.kind === "done") places.add(place);
    else if (step?.kind === "at" && (isStart || step.where !== "start")) pending.push(place + 1);
  }
  return places;
}

/** One character of each kind that the pattern's sets tell apart. */
function charactersToTry(steps: readonly RegexStep[]): readonly number[] {
  const sets = [...new Set(steps.flatMap((step) => (step.kind === "set" ? [step.set] : [])))];
  const kinds = new Map<string, number>();
  for (const character of new Set([0, ...sets.flatMap(borders)])) {
    const kind = sets.map((set) => (has(set, character) ? 1 : 0)).join("");
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  return [...kinds.values()];
}

/** Where a set starts, and where it no longer is. */
const borders = (set: CodePointSet): number[] => rangesOf(set).flatMap(([from, to]) => [from, to + 1]);
