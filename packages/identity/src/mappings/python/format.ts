/**
 * Templates of Python's `str.format`: `{0} {1}`, `{}`, `{0:>10}`, `{0[1]}`, `{0!r}`, `{{` for a brace.
 *
 * Left out are attributes (`{0.__class__}`), which reach into Python's objects, and fields within a format, which let
 * an assertion say how long a text becomes.
 *
 * @see https://docs.python.org/3.11/library/string.html#format-string-syntax
 */
import { asciiOnly, reprList, reprText } from "./repr.js";
import { spend, type StepBudget } from "./step-budget.js";

/** A template after reading: texts as they are, and fields to fill. */
export interface Template {
  readonly source: string;
  readonly parts: readonly (string | Field)[];
  /** The number that the only part fills in as it is: 0 in `{0}`. */
  readonly lone: number | undefined;
}

export interface Field {
  readonly index: number;
  /** What to pick from the value, one after the other: 1 in `{0[1]}`. */
  readonly picks: readonly number[];
  readonly conversion: "r" | "s" | "a" | undefined;
  readonly layout: Layout | undefined;
}

/** How a text is laid out: `*^10.5`. */
interface Layout {
  readonly fill: string;
  readonly align: "<" | ">" | "^";
  readonly width: number;
  readonly most: number;
}

/** What a field is filled with: an attribute's only value, or the list of all. */
export type FieldValue = string | readonly string[];

/** The template is none. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** A template can't be filled with these values. `reason` is a name that lasts. */
export class FillError extends Error {
  override readonly name = "FillError";
  readonly reason: "no-such-value" | "list-has-no-layout";

  constructor(reason: FillError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What writing a text of a list costs besides its characters, in steps. */
const COST_OF_QUOTES = 4;

/** Fields of a template. Each is read at compilation and filled in at login. */
const MAX_FIELDS = 1000;

/** The widest that a layout may make a text. */
const WIDEST = 1024;

/**
 * Reads a template.
 *
 * @throws {TemplateError} Python would refuse the template whatever the values, or it uses what is left out here.
 */
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
      if (character === "}") throw new TemplateError(`a single "}"; write "}}" for a brace`);
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
  if (match === null) throw new TemplateError(`what opens with "{" is no field, or a field within a field`);
  const [whole, name = "", conversion, layout] = match;
  if (conversion !== undefined && !["r", "s", "a"].includes(conversion))
    throw new TemplateError(`"!${conversion}" is none of !r, !s, !a`);
  const field = {
    ...readName(name, numbering),
    conversion: conversion as Field["conversion"],
    layout: layout === undefined || layout === "" ? undefined : readLayout(layout),
  };
  return { field, end: start + whole.length };
}

function readName(name: string, numbering: Numbering): Pick<Field, "index" | "picks"> {
  // A text may have thousands of these.
  if (numbering.isAutomatic === false && /^[0-9]+$/.test(name)) return { index: Number(name), picks: [] };
  const [, first = "", rest = ""] = /^([^.[]*)(.*)$/su.exec(name) ?? [];
  if (rest.startsWith("."))
    throw new TemplateError(`"{${name}}" asks for an attribute, which is not supported`);
  if (!/^[0-9]*$/.test(first))
    throw new TemplateError(`"{${name}}" is no number: values have none but numbers`);
  if (!/^(?:\[[0-9]+\])*$/.test(rest))
    throw new TemplateError(`"{${name}}" picks by something else than a number`);
  const isAutomatic = first === "";
  if (isAutomatic !== (numbering.isAutomatic ?? isAutomatic))
    throw new TemplateError(`"{}" and numbered fields in the same text`);
  numbering.isAutomatic = isAutomatic;
  return {
    index: isAutomatic ? numbering.automatic++ : Number(first),
    picks: (rest.match(/[0-9]+/g) ?? []).map(Number),
  };
}

const LAYOUT = /^(?:(.)?([<>^]))?(0)?([0-9]*)(?:\.([0-9]+))?s?$/su;

function readLayout(text: string): Layout {
  const match = LAYOUT.exec(text);
  if (match === null) throw new TemplateError(`":${text}" is no format of a text`);
  const [, fill, align = "<", zero, width = "", most] = match;
  if (Number(width) > WIDEST) throw new TemplateError(`":${text}" is wider than ${WIDEST} characters`);
  return {
    fill: fill ?? zero ?? " ",
    align: align as Layout["align"],
    width: Number(width),
    most: most === undefined ? Infinity : Number(most),
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
    throw new FillError("list-has-no-layout", `value ${index} is a list, which no format can be laid out by`);
  const text = convert(picked, conversion);
  return layout === undefined ? text : layOut(text, layout);
}

function pickFrom(value: FieldValue, pick: number, index: number): FieldValue {
  const picked = (typeof value === "string" ? Array.from(value) : value)[pick];
  if (picked === undefined) throw new FillError("no-such-value", `value ${index} has no [${pick}]`);
  return picked;
}

/** What `str` makes of a value. */
function textOf(value: FieldValue): string {
  return typeof value === "string" ? value : reprList(value);
}

function convert(value: FieldValue, conversion: Field["conversion"]): string {
  if (conversion === undefined || conversion === "s") return textOf(value);
  const written = typeof value === "string" ? reprText(value) : reprList(value);
  return conversion === "a" ? asciiOnly(written) : written;
}

function layOut(text: string, { fill, align, width, most }: Layout): string {
  const characters = Array.from(text).slice(0, most);
  const missing = Math.max(0, width - characters.length);
  const left = align === "<" ? 0 : align === ">" ? missing : missing >> 1;
  return fill.repeat(left) + characters.join("") + fill.repeat(missing - left);
}
