/** What the rules of a mapping make of an assertion, whichever protocol brought it. */
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

/** Attributes by name. Several values are one text, with semicolons between. What is no text counts as absent. */
export type Assertion = Readonly<Record<string, unknown>>;

/** Who the user is, or why that can't be said. */
export type MappingOutcome =
  | ({ readonly kind: "mapped" } & FinishedIdentity)
  | { readonly kind: "failed"; readonly failure: MappingFailure };

/** Is told how the rules fare. */
export interface EvaluationWatch extends BuildWatch {
  rule(index: number): void;
  condition(
    index: number,
    values: readonly string[] | undefined,
    passed: readonly string[] | undefined,
  ): void;
  matched(values: DirectMaps): void;
}

/** Steps that one evaluation may take: some tenths of a second at about 0.1 µs each. */
export const STEP_BUDGET = 4_000_000;

/**
 * Who somebody with these attributes is, and which groups and projects they get. Nothing is looked up: groups, domains
 * and roles are as the rules name them.
 *
 * @returns The identity, or the reason why there is none: no rule matched, or values don't fit into what a rule gives.
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
      ? failed(new MappingFailure("no-rule-matched", "no rule matched, or those that did give nothing"))
      : { kind: "mapped", identity: finished.identity, groupIdDomains: finished.groupIdDomains };
  } catch (error) {
    if (error instanceof MappingFailure) return failed(error);
    if (error instanceof StepBudgetError) return failed(new MappingFailure("too-much-work", error.message));
    throw error;
  }
}

const failed = (failure: MappingFailure): MappingOutcome => ({ kind: "failed", failure });

interface Attributes {
  /** The values of an attribute; `undefined` without it. */
  valuesOf(name: string): readonly string[] | undefined;
}

/** Splits a text when a rule first asks for it. */
function createAttributes(assertion: Assertion): Attributes {
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

/** The values that a rule may fill in, or `undefined` if one of its conditions does not hold. */
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

/** One value is filled in as it is, several as a list. */
function directMapOf(values: readonly string[]): DirectMaps[number] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}
