/** A fault in the rules of a mapping. */
export interface RuleProblem {
  /** Where, such as `rules[0].remote[1].any_one_of[2]`. */
  readonly place: string;
  /** What is wrong there, and what was expected. */
  readonly fault: string;
}

/** How many faults a message tells; `problems` has them all. */
const MOST_TOLD = 10;

/** The rules of a mapping can't be stored: they would fail at login, or never match. */
export class MappingRulesError extends Error {
  override readonly name = "MappingRulesError";
  readonly code = "mapping/invalid-rules";
  readonly kind = "invalid";
  readonly problems: readonly RuleProblem[];

  constructor(problems: readonly RuleProblem[]) {
    const told = problems.slice(0, MOST_TOLD).map(({ place, fault }) => `${place}: ${fault}`);
    const untold = problems.length - told.length;
    super([...told, ...(untold > 0 ? [`and ${untold} more`] : [])].join("; "));
    this.problems = problems;
  }
}
