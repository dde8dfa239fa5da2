/** Evaluates a mapping: from an assertion of any protocol to a user with groups and projects. */
import type { CompiledRule, Mapping } from "./compile-mapping.js";
import { MappingFailure } from "./mapping-failure.js";
import {
  addLocal,
  draftIdentity,
  finishIdentity,
  type BuildWatch,
  type FinishedIdentity,
} from "./mapped-identity.js";
import { StepBudgetError, type StepBudget } from "../python/step-budget.js";
import type { DirectMaps } from "./text-template.js";

/** Attributes by name. Several values are one string, separated by semicolons. A value that is not a string counts as absent. */
export type Assertion = Readonly<Record<string, unknown>>;

export type MappingOutcome =
  | ({ readonly kind: "mapped" } & FinishedIdentity)
  | { readonly kind: "failed"; readonly failure: MappingFailure };

/** Observes an evaluation, for a dry run. */
export interface EvaluationWatch extends BuildWatch {
  rule(index: number): void;
  condition(
    index: number,
    values: readonly string[] | undefined,
    passed: readonly string[] | undefined,
  ): void;
  matched(values: DirectMaps): void;
}

/** Steps of one evaluation: some tenths of a second at about 0.1 µs each. */
export const STEP_BUDGET = 4_000_000;

/**
 * Maps an assertion to a user, groups and projects. Looks nothing up: groups, domains and roles are as the rules name them.
 *
 * @returns The identity, or the failure: no rule matched, or the values don't fit a template.
 * @example
 * const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "MAIL" }] }];
 * const outcome = evaluateMapping(compileMapping({ rules }), { MAIL: "kim@example.org" });
 * outcome.kind; // => "mapped"
 */
export function evaluateMapping(
  mapping: Mapping,
  assertion: Assertion,
  watch?: EvaluationWatch,
): MappingOutcome {
  try {
    const budget: StepBudget = { left: STEP_BUDGET };
    const draft = draftIdentity(mapping.schemaVersion, { budget, watch });
    const attributes = createAttributes(assertion);
    for (const [index, rule] of mapping.rules.entries()) {
      watch?.rule(index);
      const values = matchRule(rule, { attributes, budget, watch });
      if (values === undefined) continue;
      watch?.matched(values);
      for (const local of rule.locals) addLocal(draft, local, values);
    }
    const finished = finishIdentity(draft);
    return finished === undefined
      ? failed(new MappingFailure("no-rule-matched", "no rule matched, or the matching rules assign nothing"))
      : { kind: "mapped", identity: finished.identity, groupIdDomains: finished.groupIdDomains };
  } catch (error) {
    if (error instanceof MappingFailure) return failed(error);
    if (error instanceof StepBudgetError) return failed(new MappingFailure("too-much-work", error.message));
    throw error;
  }
}

const failed = (failure: MappingFailure): MappingOutcome => ({ kind: "failed", failure });

interface Attributes {
  /** `undefined` if the assertion lacks the attribute. */
  valuesOf(name: string): readonly string[] | undefined;
}

/** Splits the values of an attribute on first use. */
export function createAttributes(assertion: Assertion): Attributes {
  const split = new Map<string, readonly string[] | undefined>();
  return {
    valuesOf(name) {
      const known = split.get(name);
      if (known !== undefined) return known;
      const text = Object.hasOwn(assertion, name) ? assertion[name] : undefined;
      const values = typeof text === "string" ? text.split(";") : undefined;
      split.set(name, values);
      return values;
    },
  };
}

interface Evaluation {
  readonly attributes: Attributes;
  readonly budget: StepBudget;
  readonly watch: EvaluationWatch | undefined;
}

/** The values for a rule's templates; `undefined` if one of its conditions does not hold. */
function matchRule(rule: CompiledRule, { attributes, budget, watch }: Evaluation): DirectMaps | undefined {
  const directMaps: (string | readonly string[])[] = [];
  for (const [index, condition] of rule.conditions.entries()) {
    const values = attributes.valuesOf(condition.attribute);
    const passed = values === undefined ? undefined : condition.pass(values, budget);
    watch?.condition(index, values, passed);
    if (passed === undefined) return undefined;
    if (condition.givesValues) directMaps.push(directMapOf(passed));
  }
  return directMaps;
}

/** A single value is filled in itself, several as a list. */
function directMapOf(values: readonly string[]): DirectMaps[number] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}
