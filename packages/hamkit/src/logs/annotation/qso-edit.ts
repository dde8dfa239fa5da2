/** Applies looked-up values to the fields of a QSO, and reports values of the log that differ. */
import { fieldValue, type LogField, type Qso } from "../log.js";
import type { QsoFact } from "./qso-facts.js";

/** A logged value that differs from the looked-up one. */
export interface Disagreement {
  /** Line of the QSO, from 1. */
  readonly line: number;
  readonly call: string;
  readonly field: string;
  readonly logged: string;
  readonly found: string;
}

/** The pending changes of a QSO. */
export interface QsoEdit {
  readonly qso: Qso;
  /** The fields of the QSO, with values replaced. */
  fields: readonly LogField[];
  /** Fields to append. */
  readonly more: LogField[];
  added: number;
  replaced: number;
}

/** Fields whose values are compared. Country names differ between programs, distances by the locations they use. */
const COMPARED: ReadonlySet<string> = new Set(["DXCC", "CQZ", "ITUZ", "CONT"]);

/** The value of a field, changes included. */
export function valueNow({ fields, more }: QsoEdit, name: string): string | undefined {
  return fieldValue({ fields }, name) ?? fieldValue({ fields: more }, name);
}

/** Whether the log has a different value. */
function contradicts(edit: QsoEdit, { name, value }: QsoFact): boolean {
  const logged = valueNow(edit, name);
  return logged !== undefined && !isSame(logged, value);
}

/** Compares numbers by value (014 equals 14) and text without case (eu equals EU). */
function isSame(logged: string, found: string): boolean {
  if (logged === found) return true;
  if (/^\d+(?:\.\d*)?$/.test(logged)) return Number(logged) === Number(found) && found !== "";
  return logged.toUpperCase() === found.toUpperCase();
}

/** The disagreement between a looked-up value and the log, if the field is compared. */
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

/** Adds a value if the log has none; replaces a different one only with `overwrite`. */
export function applyFact(edit: QsoEdit, fact: QsoFact, overwrite: boolean): void {
  if (valueNow(edit, fact.name) === undefined) {
    if (fact.value !== "") add(edit, fact);
  } else if (overwrite && contradicts(edit, fact)) replace(edit, fact);
}

/** Fills an empty field of the log, or appends a field. */
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

/** The QSO with its changes. */
export function edited({ qso, fields, more }: QsoEdit): Qso {
  return fields === qso.fields && more.length === 0 ? qso : { ...qso, fields: fields.concat(more) };
}
