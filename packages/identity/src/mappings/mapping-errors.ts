/** Errors of mappings. */
import { ConflictError, errorClass, InvalidError, notFoundClass } from "../platform/errors.js";

/** A fault in the rules of a mapping. */
export interface RuleProblem {
  /** Where, such as `rules[0].remote[1].any_one_of[2]`. */
  readonly place: string;
  /** The fault and the expected value. */
  readonly fault: string;
}

/** An effect of a rule that its author may not have intended. */
export interface RuleWarning {
  /** Where, such as `rules[0].local[1].groups`. */
  readonly place: string;
  readonly reason: string;
}

/** Faults in a message; `problems` has all of them. */
const MAX_SHOWN = 10;

/** The rules of a mapping are rejected: they would fail at login or never match. */
export class MappingRulesError extends InvalidError {
  override readonly name = "MappingRulesError";
  override readonly code = "mapping/invalid-rules";
  readonly problems: readonly RuleProblem[];

  constructor(problems: readonly RuleProblem[]) {
    const shown = problems.slice(0, MAX_SHOWN).map(({ place, fault }) => `${place}: ${fault}`);
    const hidden = problems.length - shown.length;
    super([...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join("; "));
    this.problems = problems;
  }
}

export class MappingNotFoundError extends notFoundClass("mapping", "mapping/not-found") {}

export class MappingExistsError extends errorClass(
  ConflictError,
  "mapping/exists",
  "Conflict occurred attempting to store mapping - Duplicate entry.",
) {}
