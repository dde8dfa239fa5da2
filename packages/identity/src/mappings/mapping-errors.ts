/** What can be wrong with mappings. */
import { ConflictError, InvalidError, NotFoundError } from "../platform/errors.js";

/** A fault in the rules of a mapping. */
export interface RuleProblem {
  /** Where, such as `rules[0].remote[1].any_one_of[2]`. */
  readonly place: string;
  /** What is wrong there, and what was expected. */
  readonly fault: string;
}

/** What a rule does that its author should know, and may have meant. */
export interface RuleWarning {
  /** Where, such as `rules[0].local[1].groups`. */
  readonly place: string;
  readonly reason: string;
}

/** How many faults a message tells; `problems` has them all. */
const MOST_TOLD = 10;

/** The rules of a mapping can't be stored: they would fail at login, or never match. */
export class MappingRulesError extends InvalidError {
  override readonly name = "MappingRulesError";
  override readonly code = "mapping/invalid-rules";
  readonly problems: readonly RuleProblem[];

  constructor(problems: readonly RuleProblem[]) {
    const told = problems.slice(0, MOST_TOLD).map(({ place, fault }) => `${place}: ${fault}`);
    const untold = problems.length - told.length;
    super([...told, ...(untold > 0 ? [`and ${untold} more`] : [])].join("; "));
    this.problems = problems;
  }
}

export class MappingNotFoundError extends NotFoundError {
  override readonly name = "MappingNotFoundError";
  override readonly code = "mapping/not-found";

  constructor(id: string) {
    super(`Could not find mapping: ${id}.`);
  }
}

export class MappingExistsError extends ConflictError {
  override readonly name = "MappingExistsError";
  override readonly code = "mapping/exists";

  constructor() {
    super("Conflict occurred attempting to store mapping - Duplicate entry.");
  }
}
