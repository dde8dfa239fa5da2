/** String templates of a rule: parsed once, and filled with the values that pass the rule's conditions. */
import type { RuleProblem } from "../mapping-errors.js";
import { MappingFailure } from "./mapping-failure.js";
import {
  fieldsOf,
  FillError,
  fillTemplate,
  parseTemplate,
  TemplateError,
  type FieldValue,
  type Template,
} from "../python/format.js";
import { spend, type StepBudget } from "../python/step-budget.js";

/** The values of a rule's conditions, by number: Keystone's direct maps. */
export type DirectMaps = readonly FieldValue[];

/** What filling needs in addition to the values. */
export interface Filling {
  readonly budget: StepBudget;
  readonly filled: Watch | undefined;
}

/** Called for each filled template. */
export type Watch = (filled: {
  readonly place: string;
  readonly template: Template;
  readonly value: string;
}) => void;

/** A template, and its place in the rules. */
export interface TextTemplate {
  readonly place: string;
  readonly template: Template;
}

export interface TextContext {
  /** The number of values. */
  readonly count: number;
  readonly place: string;
  readonly problems: RuleProblem[];
}

/** Compiles a template. Faults are added to `problems`. */
export function compileText(source: string, { count, place, problems }: TextContext): TextTemplate {
  const template = readTemplate(source, { place, problems });
  const missing = fieldsOf(template).find(({ index }) => index >= count);
  if (missing !== undefined) problems.push({ place, fault: outOfRange(source, missing.index, count) });
  return { place, template };
}

/**
 * @throws {MappingFailure} The values don't fit the template.
 * @throws {StepBudgetError} The budget ran out.
 */
export function fillText(
  { place, template }: TextTemplate,
  values: DirectMaps,
  { budget, filled }: Filling,
): string {
  try {
    const value = fillTemplate(template, values, budget);
    spend(budget, 1 + value.length);
    filled?.({ place, template, value });
    return value;
  } catch (error) {
    if (error instanceof FillError) throw new MappingFailure(error.reason, error.message, place);
    throw error;
  }
}

function readTemplate(source: string, { place, problems }: Omit<TextContext, "count">): Template {
  try {
    return parseTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    problems.push({ place, fault: error.message });
    return { source, parts: [], lone: undefined };
  }
}

/** The fault of a template with a value number that the rule's conditions don't provide. */
export function outOfRange(source: string, index: number, count: number): string {
  const there = count === 0 ? "no values" : count === 1 ? "one value, {0}" : `values {0} to {${count - 1}}`;
  return `{${index}} in "${source}" is out of range: "remote" provides ${there} (any_one_of and not_any_of provide none)`;
}

/** Whether a template uses any value. */
export function takesValues(source: string | undefined): boolean {
  return source !== undefined && /[{]/.test(source.replaceAll("{{", ""));
}
