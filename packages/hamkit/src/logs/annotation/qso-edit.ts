/** Puts what is known of a QSO into its fields, or next to what the log says itself. */
import { fieldValue, type LogField, type Qso } from "../log.js";
import type { QsoFact } from "./qso-facts.js";

/** A value of the log that the look-up contradicts. */
export interface Disagreement {
  /** Of the QSO, from 1. */
  readonly line: number;
  readonly call: string;
  readonly field: string;
  readonly logged: string;
  readonly found: string;
}

/** A QSO on its way: its fields, and what has been done to them. */
export interface QsoEdit {
  readonly qso: Qso;
  /** Its fields, with values replaced. */
  fields: readonly LogField[];
  /** Fields to be put behind them. */
  readonly more: LogField[];
  added: number;
  replaced: number;
}

/** Fields whose values are compared. Names of countries differ between programs, and distances with what is known. */
const COMPARED: ReadonlySet<string> = new Set(["DXCC", "CQZ", "ITUZ", "CONT"]);

/** The value of a field, changes included. */
export function valueNow({ fields, more }: QsoEdit, name: string): string | undefined {
  return fieldValue({ fields }, name) ?? fieldValue({ fields: more }, name);
}

/** Whether the log has another value than this one. */
function contradicts(edit: QsoEdit, { name, value }: QsoFact): boolean {
  const logged = valueNow(edit, name);
  return logged !== undefined && !isSame(logged, value);
}

/** 014 is 14, and eu is EU. */
function isSame(logged: string, found: string): boolean {
  if (logged === found) return true;
  if (/^\d+(?:\.\d*)?$/.test(logged)) return Number(logged) === Number(found) && found !== "";
  return logged.toUpperCase() === found.toUpperCase();
}

/** The value of the log that a fact contradicts, if it is one that is compared. */
export function disagreementOf(edit: QsoEdit, fact: QsoFact): Disagreement | undefined {
  if (!COMPARED.has(fact.name) || !contradicts(edit, fact)) return undefined;
  const logged = valueNow(edit, fact.name) ?? "";
  return {
    line: edit.qso.line,
    call: valueNow(edit, "CALL") ?? "",
    field: fact.name,
    logged,
    found: fact.value,
  };
}

/** Adds a fact where the log says nothing; where it says something else, only if that may be overwritten. */
export function applyFact(edit: QsoEdit, fact: QsoFact, overwrite: boolean): void {
  if (valueNow(edit, fact.name) === undefined) {
    if (fact.value !== "") add(edit, fact);
  } else if (overwrite && contradicts(edit, fact)) replace(edit, fact);
}

/** A field that is there and empty is filled in. */
function add(edit: QsoEdit, fact: QsoFact): void {
  const empty = edit.fields.findIndex(({ name }) => name === fact.name);
  if (empty < 0) edit.more.push(fact);
  else edit.fields = edit.fields.with(empty, fact);
  edit.added++;
}

function replace(edit: QsoEdit, fact: QsoFact): void {
  const place = edit.fields.findIndex(({ name, value }) => name === fact.name && value.trim() !== "");
  edit.fields = fact.value === "" ? edit.fields.toSpliced(place, 1) : edit.fields.with(place, fact);
  edit.replaced++;
}

/** The QSO with what has been done to it. */
export function edited({ qso, fields, more }: QsoEdit): Qso {
  return fields === qso.fields && more.length === 0 ? qso : { ...qso, fields: fields.concat(more) };
}
