/**
 * Templates of Python's `str.format`: `{0} {1}`, `{}`, `{0:>10}`, `{0[1]}`, `{0!r}`, `{{` for a brace.
 *
 * Not supported: attributes (`{0.__class__}`), which reach into Python's objects, and nested fields (`{0:{1}}`), by which an
 * assertion would choose the length of a text.
 *
 * @see https://docs.python.org/3.11/library/string.html#format-string-syntax
 */
import { asciiOnly, reprList, reprText } from "./repr.js";
import { spend, type StepBudget } from "./step-budget.js";

/** A parsed template: literal texts, and fields to fill. */
export interface Template {
  readonly source: string;
  readonly parts: readonly (string | Field)[];
  /** The index of the value, where the template is one bare field: 0 in `{0}`. */
  readonly lone: number | undefined;
}

export interface Field {
  readonly index: number;
  /** Subscripts, applied in order: 1 in `{0[1]}`. */
  readonly picks: readonly number[];
  readonly conversion: "r" | "s" | "a" | undefined;
  readonly layout: Layout | undefined;
}

/** A format spec: `*^10.5`. */
interface Layout {
  readonly fill: string;
  readonly align: "<" | ">" | "^";
  readonly width: number;
  /** Characters kept of the value. */
  readonly precision: number;
}

/** The value of a field: an attribute's only value, or the list of its values. */
export type FieldValue = string | readonly string[];

/** The template is invalid, or uses an unsupported feature. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** A template can't be filled with these values. `reason` is stable. */
export class FillError extends Error {
  override readonly name = "FillError";
  readonly reason: "no-such-value" | "list-has-no-layout";

  constructor(reason: FillError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The cost of writing a list item besides its characters, in steps. */
const COST_OF_QUOTES = 4;

/** Fields of a template. */
const MAX_FIELDS = 1000;

/** Characters to which a format spec may pad. */
const MAX_WIDTH = 1024;

/** @throws {TemplateError} Python would reject the template for any values, or it uses an unsupported feature. */
export function parseTemplate(source: string): Template {
  const parts: (string | Field)[] = [];
  const numbering: Numbering = { automatic: 0, isAutomatic: undefined };
  let text = "";
  let fields = 0;
  for (let position = 0; position < source.length;) {
    const character = source.charAt(position);
    if (character !== "{" && character !== "}") {
      text += character;
      position++;
    } else if (source.charAt(position + 1) === character) {
      text += character;
      position += 2;
    } else {
      if (character === "}") throw new TemplateError(`single "}", expected "}}" for a brace`);
      const { field, end } = readField(source, position + 1, numbering);
      if (text !== "") parts.push(text);
      text = "";
      parts.push(field);
      if (++fields > MAX_FIELDS) throw new TemplateError(`more than ${MAX_FIELDS} fields`);
      position = end;
    }
  }
  if (text !== "") parts.push(text);
  return { source, parts, lone: loneOf(parts) };
}

/** The fields of a template. */
export function fieldsOf({ parts }: Template): readonly Field[] {
  return parts.filter((part) => typeof part !== "string");
}

/**
 * A template, filled.
 *
 * @throws {FillError} The values don't have what it asks for.
 * @throws {StepBudgetError} The budget ran out.
 */
export function fillTemplate(
  { parts, lone }: Template,
  values: readonly FieldValue[],
  budget: StepBudget,
): string {
  const fill = (field: Field) => fillField(field, chargedValue(field, values, budget));
  if (lone !== undefined) return textOf(chargedValue({ index: lone }, values, budget));
  let text = "";
  for (const part of parts) text += typeof part === "string" ? part : fill(part);
  return text;
}

/** What each field of a template is filled with, in their order. */
export function fieldTexts(template: Template, values: readonly FieldValue[], budget: StepBudget): string[] {
  return fieldsOf(template).map((field) => fillField(field, chargedValue(field, values, budget)));
}

/** The value of a field. It is paid for before it is written: a template may ask for a long value thousands of times. */
function chargedValue(
  { index }: Pick<Field, "index">,
  values: readonly FieldValue[],
  budget: StepBudget,
): FieldValue {
  const value = values[index] ?? "";
  if (typeof value === "string") spend(budget, 1 + value.length);
  else for (const text of value) spend(budget, COST_OF_QUOTES + text.length);
  return value;
}

interface Numbering {
  automatic: number;
  isAutomatic: boolean | undefined;
}

const FIELD = /([^{}[:!]*(?:\[[^\]]*\][^{}[:!]*)*)(?:!([^}]))?(?::([^{}]*))?\}/y;

function readField(source: string, start: number, numbering: Numbering): { field: Field; end: number } {
  FIELD.lastIndex = start;
  const match = FIELD.exec(source);
  if (match === null)
    throw new TemplateError(`"{" opens no valid field; nested fields are not supported, "{{" is a brace`);
  const [whole, name = "", conversion, layout] = match;
  if (conversion !== undefined && !["r", "s", "a"].includes(conversion))
    throw new TemplateError(`unknown conversion "!${conversion}", expected !r, !s or !a`);
  const field = {
    ...readName(name, numbering),
    conversion: conversion as Field["conversion"],
    layout: layout === undefined || layout === "" ? undefined : readLayout(layout),
  };
  return { field, end: start + whole.length };
}

function readName(name: string, numbering: Numbering): Pick<Field, "index" | "picks"> {
  // Fast path: a template may have a thousand of these.
  if (numbering.isAutomatic === false && /^[0-9]+$/.test(name)) return { index: Number(name), picks: [] };
  const [, first = "", rest = ""] = /^([^.[]*)(.*)$/su.exec(name) ?? [];
  if (rest.startsWith(".")) throw new TemplateError(`attribute access in "{${name}}" is not supported`);
  if (!/^[0-9]*$/.test(first))
    throw new TemplateError(`field "{${name}}" has no value number, expected one such as {0}`);
  if (!/^(?:\[[0-9]+\])*$/.test(rest)) throw new TemplateError(`subscript in "{${name}}" is not a number`);
  const isAutomatic = first === "";
  if (isAutomatic !== (numbering.isAutomatic ?? isAutomatic))
    throw new TemplateError(`"{}" is mixed with numbered fields`);
  numbering.isAutomatic = isAutomatic;
  return {
    index: isAutomatic ? numbering.automatic++ : Number(first),
    picks: (rest.match(/[0-9]+/g) ?? []).map(Number),
  };
}

const LAYOUT = /^(?:(.)?([<>^]))?(0)?([0-9]*)(?:\.([0-9]+))?s?$/su;

function readLayout(text: string): Layout {
  const match = LAYOUT.exec(text);
  if (match === null) throw new TemplateError(`":${text}" is not a format spec for strings`);
  const [, fill, align = "<", zero, width = "", precision] = match;
  if (Number(width) > MAX_WIDTH)
    throw new TemplateError(`format spec ":${text}" pads to more than ${MAX_WIDTH} characters`);
  return {
    fill: fill ?? zero ?? " ",
    align: align as Layout["align"],
    width: Number(width),
    precision: precision === undefined ? Infinity : Number(precision),
  };
}

function loneOf(parts: readonly (string | Field)[]): number | undefined {
  const [only, ...others] = parts;
  if (only === undefined || typeof only === "string" || others.length > 0) return undefined;
  const isBare = only.picks.length === 0 && only.conversion === undefined && only.layout === undefined;
  return isBare ? only.index : undefined;
}

function fillField({ index, picks, conversion, layout }: Field, value: FieldValue): string {
  const picked = picks.reduce<FieldValue>((from, pick) => pickFrom(from, pick, index), value);
  if (layout !== undefined && conversion === undefined && typeof picked !== "string")
    throw new FillError("list-has-no-layout", `value ${index} is a list, a format spec needs a single value`);
  const text = convert(picked, conversion);
  return layout === undefined ? text : layOut(text, layout);
}

function pickFrom(value: FieldValue, pick: number, index: number): FieldValue {
  const picked = (typeof value === "string" ? Array.from(value) : value)[pick];
  if (picked === undefined) throw new FillError("no-such-value", `value ${index} has no item [${pick}]`);
  return picked;
}

/** `str` of a value. */
function textOf(value: FieldValue): string {
  return typeof value === "string" ? value : reprList(value);
}

function convert(value: FieldValue, conversion: Field["conversion"]): string {
  if (conversion === undefined || conversion === "s") return textOf(value);
  const written = typeof value === "string" ? reprText(value) : reprList(value);
  return conversion === "a" ? asciiOnly(written) : written;
}

function layOut(text: string, { fill, align, width, precision }: Layout): string {
  const characters = Array.from(text).slice(0, precision);
  const missing = Math.max(0, width - characters.length);
  const left = align === "<" ? 0 : align === ">" ? missing : missing >> 1;
  return fill.repeat(left) + characters.join("") + fill.repeat(missing - left);
}
