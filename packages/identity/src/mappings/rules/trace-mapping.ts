/** Dry run: evaluates a mapping, and traces each rule, condition and template. */
import type { Mapping } from "./compile-mapping.js";
import { hintAtAttribute, hintAtList } from "./condition-hint.js";
import type { Condition } from "./condition.js";
import {
  createAttributes,
  evaluateMapping,
  STEP_BUDGET,
  type Assertion,
  type EvaluationWatch,
  type MappingOutcome,
} from "./evaluate-mapping.js";
import type { MappedIdentity } from "./mapped-identity.js";
import type { RuleWarning } from "../mapping-errors.js";
import type { MappingFailureReason } from "./mapping-failure.js";
import { fieldsOf } from "../python/format.js";
import { spend, StepBudgetError, type StepBudget } from "../python/step-budget.js";
import { show, type Test } from "./rule-schema.js";

/** Either `result` or `error` is `null`. */
export interface MappingTrace {
  readonly result: MappedIdentity | null;
  readonly error: { readonly reason: MappingFailureReason; readonly message: string } | null;
  /** The rules in order, up to the one that failed the evaluation. */
  readonly trace: readonly RuleTrace[];
  /** Warnings on the rules, independent of the assertion. */
  readonly warnings: readonly RuleWarning[];
}

export interface RuleTrace {
  /** Counted from 0. */
  readonly rule: number;
  readonly matched: boolean;
  /** The conditions in order. A login evaluates them up to the first that does not hold. */
  readonly conditions: readonly ConditionTrace[];
  /** The filled templates, if the rule matched. */
  readonly values: readonly ValueTrace[];
  /** Results of the rule that are ignored, and why. */
  readonly ignored: readonly { readonly place: string; readonly reason: string }[];
}

export interface ConditionTrace {
  /** Counted from 0. */
  readonly condition: number;
  /** The name of the attribute. */
  readonly type: string;
  readonly test: Test;
  readonly regex: boolean;
  /** The attribute's values; `null` if the assertion lacks it, or its value is not a string. */
  readonly received: readonly string[] | null;
  readonly matched: boolean;
  /** Whether a login evaluates it: `false` behind a condition that does not hold. */
  readonly reached: boolean;
  /** Why, in words. */
  readonly reason: string;
  /** The number of its values in templates, 0 for `{0}`; `null` if none. */
  readonly index: number | null;
  /** The values for templates; `null` if it has no number. */
  readonly passed: readonly string[] | null;
}

export interface ValueTrace {
  /** Where in the rules, such as `rules[0].local[0].user.name`. */
  readonly place: string;
  readonly template: string;
  /** The numbers of the values that it uses. */
  readonly from: readonly number[];
  readonly value: string;
  /** Likely a mistake: a list where one value is expected. */
  readonly note: string | null;
}

/**
 * Evaluates a mapping as a login does, with a trace. Slower than `evaluateMapping`, and the result contains values of the
 * assertion: for authors of rules, not for a log.
 *
 * @example
 * const rules = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "MAIL" }] }];
 * const { trace } = traceMapping(compileMapping({ rules }), { UID: "kim" });
 * trace[0]?.conditions[0]?.reason; // => 'the assertion has no "MAIL"'
 */
export function traceMapping(mapping: Mapping, assertion: Assertion): MappingTrace {
  return traceOutcome(mapping, assertion).trace;
}

/** {@link traceMapping}, with the outcome as a login gets it. */
export function traceOutcome(
  mapping: Mapping,
  assertion: Assertion,
): { readonly trace: MappingTrace; readonly outcome: MappingOutcome } {
  const { watch, rules } = createWatch(mapping, assertion);
  const outcome = evaluateMapping(mapping, assertion, watch);
  traceUnreached({ mapping, assertion, rules });
  return { trace: toTrace(mapping, outcome, rules), outcome };
}

function toTrace({ warnings }: Mapping, outcome: MappingOutcome, rules: readonly RuleTrace[]): MappingTrace {
  if (outcome.kind === "mapped") return { result: outcome.identity, error: null, trace: rules, warnings };
  const { reason, message } = outcome.failure;
  return { result: null, error: { reason, message }, trace: rules, warnings };
}

interface OpenRule extends RuleTrace {
  matched: boolean;
  readonly conditions: ConditionTrace[];
  readonly values: ValueTrace[];
}

function createWatch(
  mapping: Mapping,
  assertion: Assertion,
): { watch: EvaluationWatch; rules: readonly OpenRule[] } {
  const rules: OpenRule[] = [];
  const ignored = mapping.rules.map((): { place: string; reason: string }[] => []);
  const watch: EvaluationWatch = {
    rule: (index) =>
      void rules.push({
        rule: index,
        matched: false,
        conditions: [],
        values: [],
        ignored: ignored[index] ?? [],
      }),
    condition(index, received, passed) {
      const condition = mapping.rules[rules.length - 1]?.conditions[index];
      const conditions = rules.at(-1)?.conditions;
      if (condition === undefined || conditions === undefined) return;
      conditions.push(
        traceOf(condition, { before: conditions, assertion, received, passed, isReached: true }),
      );
    },
    matched() {
      const rule = rules.at(-1);
      if (rule !== undefined) rule.matched = true;
    },
    filled({ place, template, value }) {
      const from = [...new Set(fieldsOf(template).map(({ index }) => index))];
      const rule = rules.at(-1);
      const lists = rule?.conditions.filter(
        ({ index, passed }) => index !== null && from.includes(index) && passed?.length !== 1,
      );
      const note = /\.(?:groups|group_ids)$/.test(place) ? null : noteOn(lists ?? []);
      rule?.values.push({ place, template: template.source, from, value, note });
    },
    ignored(place, reason) {
      const rule = Number(/^rules\[(\d+)\]/.exec(place)?.[1]);
      ignored[rule]?.push({ place, reason });
    },
  };
  return { watch, rules };
}

interface Tested {
  /** The conditions before it. */
  readonly before: readonly ConditionTrace[];
  readonly assertion: Assertion;
  readonly received: readonly string[] | undefined;
  readonly passed: readonly string[] | undefined;
  readonly isReached: boolean;
}

function traceOf(
  condition: Condition,
  { before, assertion, received, passed, isReached }: Tested,
): ConditionTrace {
  const fills = condition.givesValues && passed !== undefined && isReached;
  return {
    condition: before.length,
    type: condition.attribute,
    test: condition.test,
    regex: condition.isRegex,
    received: received ?? null,
    matched: passed !== undefined,
    reached: isReached,
    reason:
      received === undefined
        ? `the assertion has no ${show(condition.attribute)}${hintAtAttribute(condition.attribute, assertion)}`
        : reasonOf(condition, received, passed),
    index: fills ? before.filter(({ index }) => index !== null).length : null,
    passed: fills ? passed : null,
  };
}

/** Tests the conditions that the evaluation did not reach, with a budget of their own: an author sees all that fails at once. */
function traceUnreached({
  mapping,
  assertion,
  rules,
}: {
  readonly mapping: Mapping;
  readonly assertion: Assertion;
  readonly rules: readonly OpenRule[];
}): void {
  const budget: StepBudget = { left: STEP_BUDGET };
  const attributes = createAttributes(assertion);
  try {
    for (const { rule, matched, conditions } of rules) {
      // Nothing failed yet: the evaluation ended within this rule.
      if (matched || conditions.at(-1)?.matched !== false) continue;
      for (const condition of mapping.rules[rule]?.conditions.slice(conditions.length) ?? []) {
        const received = attributes.valuesOf(condition.attribute);
        // The trace repeats the values.
        for (const value of received ?? []) spend(budget, 1 + value.length);
        const passed = received && condition.pass(received, budget);
        conditions.push(
          traceOf(condition, { before: conditions, assertion, received, passed, isReached: false }),
        );
      }
    }
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error;
  }
}

/** A list is filled in in Python's notation, `['a', 'b']`, which is rarely intended. */
function noteOn(lists: readonly ConditionTrace[]): string | null {
  const [first] = lists;
  if (first === undefined) return null;
  const count = first.passed?.length === 0 ? "no value is" : `${first.passed?.length} values are`;
  return `${count} left of ${show(first.type)}: the list is filled in in Python's notation`;
}

function reasonOf(
  condition: Condition,
  received: readonly string[],
  passed: readonly string[] | undefined,
): string {
  const one = condition.isRegex ? "matches a pattern of the list" : "is in the list";
  const some = condition.isRegex ? "values that match a pattern of the list" : "values in the list";
  const count = `${passed?.length ?? 0} of ${received.length}`;
  switch (condition.test) {
    case "any_one_of":
      return passed === undefined ? `no value ${one}${hintAtList(condition, received)}` : `a value ${one}`;
    case "not_any_of":
      return passed === undefined ? `a value ${one}` : `no value ${one}`;
    case "whitelist":
      return `${some}: ${count}${passed?.length === 0 ? hintAtList(condition, received) : ""}`;
    case "blacklist":
      return `${condition.isRegex ? "values that match no pattern of the list" : "values not in the list"}: ${count}`;
    default:
      return "the assertion has it";
  }
}
