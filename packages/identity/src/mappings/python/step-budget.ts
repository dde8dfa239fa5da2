/**
 * What one evaluation may cost. Everything whose amount rules and values decide together is charged here, in steps of
 * about 0.1 µs, so that no rules and no assertion keep the process busy for long.
 */
export interface StepBudget {
  /** How many steps may still be taken. */
  left: number;
}

/** There was no answer within the budget. */
export class StepBudgetError extends Error {
  override readonly name = "StepBudgetError";

  constructor() {
    super("these rules and values take too many steps together");
  }
}

/** @throws {StepBudgetError} The budget does not have so many steps. */
export function spend(budget: StepBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new StepBudgetError();
}
