/**
 * Bounds the cost of an evaluation, in steps of about 0.1 µs. All work whose amount depends on rules and values is charged, so
 * that no mapping and no assertion can block the process.
 */
export interface StepBudget {
  /** Steps left. */
  left: number;
}

/** The budget ran out. */
export class StepBudgetError extends Error {
  override readonly name = "StepBudgetError";

  constructor() {
    super("evaluating the rules against these values exceeds the step budget");
  }
}

/** @throws {StepBudgetError} The budget has fewer steps left. */
export function spend(budget: StepBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new StepBudgetError();
}
