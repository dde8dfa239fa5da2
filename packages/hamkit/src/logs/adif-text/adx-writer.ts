/** Writes .adx files: unchanged parts of an .adx source verbatim, everything else in a canonical form. */
import { blanksBefore } from "./adi-writer.js";
import type { Log, LogField, Qso } from "../log.js";
import { createPool } from "./adif-sink.js";

/** The log as texts to concatenate. */
export function* writeAdx({ adx, header, qsos }: Log): Generator<string> {
  const userDefined = userDefinedNames(header.fields);
  yield adx?.before ?? opening(header.fields);
  const texts = createPool<LogField, string>();
  for (const qso of qsos) {
    yield qsoText(qso, (field) => texts.get(field) ?? texts.add(field, elementOfField(field, userDefined)));
  }
  yield adx?.after ?? "\n  </RECORDS>\n</ADX>\n";
}

function qsoText({ adx, fields }: Qso, textOf: (field: LogField) => string): string {
  let text = adx?.before ?? "\n    <RECORD>";
  let gap = adx === undefined ? "" : "\n      ";
  for (const field of fields) {
    if (field.adx === undefined) text += gap + textOf(field);
    else {
      gap = blanksBefore(field.adx);
      text += field.adx;
    }
  }
  return text + (adx?.after ?? "</RECORD>");
}

function opening(fields: readonly LogField[]): string {
  const header = fields.map((field) => `    ${elementOfHeaderField(field)}\n`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ADX>\n  <HEADER>\n${header}  </HEADER>\n  <RECORDS>`;
}

/** A field of a QSO as an element. */
function elementOfField({ name, value, type }: LogField, userDefined: ReadonlySet<string>): string {
  const typeText = type === undefined ? "" : ` TYPE="${attributeText(type)}"`;
  const [, program, fieldName] = /^APP_([^_]+)_(.+)$/.exec(name) ?? [];
  if (program !== undefined && fieldName !== undefined) {
    const named = `PROGRAMID="${attributeText(program)}" FIELDNAME="${attributeText(fieldName)}"`;
    return `<APP ${named}${typeText}>${contentText(value)}</APP>`;
  }
  if (userDefined.has(name) || !isElementName(name)) {
    return `<USERDEF FIELDNAME="${attributeText(name)}">${contentText(value)}</USERDEF>`;
  }
  return `<${name}>${contentText(value)}</${name}>`;
}

/** A field of the header as an element. */
function elementOfHeaderField(field: LogField): string {
  const { type = "S" } = field;
  const definition = userDefinitionOf(field);
  if (definition !== undefined) {
    const { id, choices, range } = definition;
    const braces = `${choices && ` ENUM="${attributeText(choices)}"`}${range && ` RANGE="${attributeText(range)}"`}`;
    const content = contentText(definition.name);
    return `<USERDEF FIELDID="${id}" TYPE="${attributeText(type)}"${braces}>${content}</USERDEF>`;
  }
  return elementOfField({ ...field, type: undefined }, new Set());
}

/** Whether a field name is a valid element name; others go into an attribute. */
function isElementName(name: string): boolean {
  return /^[A-Z_][A-Z0-9_.-]*$/.test(name) && !/^(?:APP|USERDEF|XML)/.test(name);
}

/** Escapes text content. XML parsers normalize a carriage return to a line feed, so it is written as a reference. */
function contentText(text: string): string {
  if (/^[ -%'-;=?-~]*$/.test(text)) return text;
  return text
    .replaceAll(ILLEGAL, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

function attributeText(text: string): string {
  return contentText(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}

/** Characters that XML does not allow, not even escaped: most control characters, lone surrogates. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu;

/** A user-defined field in the terms of .adx. */
interface UserDefinition {
  readonly id: string;
  /** In its original case. */
  readonly name: string;
  /** An enumeration in braces; "" without one. */
  readonly choices: string;
  /** A range in braces; "" without one. */
  readonly range: string;
}

/**
 * The definition in a field of a header, `undefined` for other fields. In .adi `<USERDEF1:19:E>SweaterSize,{S,M,L}`, in .adx
 * `<USERDEF FIELDID="1" TYPE="E" ENUM="{S,M,L}">SweaterSize</USERDEF>`.
 */
function userDefinitionOf({ name, value }: LogField): UserDefinition | undefined {
  const [, id] = /^USERDEF(\d+)$/.exec(name) ?? [];
  if (id === undefined) return undefined;
  const { fieldName, braces } = splitDefinition(value.trimEnd());
  const isRange = /^\{\s*-?[\d.]*\s*:\s*-?[\d.]*\s*\}$/.test(braces);
  return { id, name: fieldName.trim(), choices: isRange ? "" : braces, range: isRange ? braces : "" };
}

/** The name, and what is in braces behind the first comma that they follow. */
function splitDefinition(text: string): { fieldName: string; braces: string } {
  const comma = text.endsWith("}") ? text.search(/,\s*\{/) : -1;
  if (comma < 0) return { fieldName: text, braces: "" };
  return { fieldName: text.slice(0, comma), braces: text.slice(comma + 1).trimStart() };
}

/** The names, in upper case, of the fields that a header defines. */
export function userDefinedNames(header: readonly LogField[]): ReadonlySet<string> {
  return new Set(header.flatMap((field) => userDefinitionOf(field)?.name.toUpperCase() ?? []));
}
