/** A text of a rule that is a template: read once, and filled with what the rule's conditions let through. */
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

/** What direct maps a rule has, for each of its templates to fill in. */
export type DirectMaps = readonly FieldValue[];

/** What filling needs beside the values. */
export interface Filling {
  readonly budget: StepBudget;
  readonly filled: Watch | undefined;
}

/** Is told what becomes of a template. */
export type Watch = (filled: {
  readonly place: string;
  readonly template: Template;
  readonly value: string;
}) => void;

/** A template, and where it stands. */
export interface TextTemplate {
  readonly place: string;
  readonly template: Template;
}

export interface TextContext {
  /** How many values there are to fill in. */
  readonly count: number;
  readonly place: string;
  readonly problems: RuleProblem[];
}

/** A template, ready to be filled. Faults are added to `problems`. */
export function compileText(source: string, { count, place, problems }: TextContext): TextTemplate {
  const template = readTemplate(source, { place, problems });
  const missing = fieldsOf(template).find(({ index }) => index >= count);
  if (missing !== undefined) problems.push({ place, fault: outOfRange(source, missing.index, count) });
  return { place, template };
}

/**
 * A template, filled.
 *
 * @throws {MappingFailure} The values don't have what it asks for.
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

/** Why a template can't be filled: it asks for a value that the rule's conditions don't give. */
export function outOfRange(source: string, index: number, count: number): string {
  const there = count === 0 ? "no values" : count === 1 ? "one value, {0}" : `values {0} to {${count - 1}}`;
  return `"${source}" asks for {${index}}, but "remote" gives ${there}: any_one_of and not_any_of give none`;
}

/** Whether a template takes anything from the values that are filled in. */
export function takesValues(source: string | undefined): boolean {
  return source !== undefined && /[{]/.test(source.replaceAll("{{", ""));
}
