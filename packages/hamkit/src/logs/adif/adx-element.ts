/** Converts between elements of .adx files and fields. */
import type { LogField } from "../log.js";
import { userDefinitionOf, userDefinitionText } from "./user-defined.js";

/** An element with its text. */
export interface AdxElement {
  /** In upper case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** An element of a QSO as a field. */
export function fieldOfElement({ name, attributes, text }: AdxElement, adx: string): LogField {
  if (name !== "APP" && name !== "USERDEF") return { name, value: text, type: undefined, adx };
  const type = typeOf(attributes);
  const fieldName = attribute(attributes, "FIELDNAME").toUpperCase();
  if (name === "USERDEF") return { name: fieldName, value: text, type, adx };
  const program = attribute(attributes, "PROGRAMID").toUpperCase();
  return { name: `APP_${program}_${fieldName}`, value: text, type, adx };
}

/** An element of the header as a field. */
export function headerFieldOfElement({ name, attributes, text }: AdxElement): LogField {
  if (name !== "USERDEF") return { name, value: text };
  const choices = attribute(attributes, "ENUM");
  const range = attribute(attributes, "RANGE");
  const value = userDefinitionText({ name: text, choices, range });
  return { name: `USERDEF${attribute(attributes, "FIELDID")}`, value, type: typeOf(attributes) };
}

function typeOf(attributes: AdxElement["attributes"]): string | undefined {
  const type = attribute(attributes, "TYPE").toUpperCase();
  return type === "" ? undefined : type;
}

/** The attribute's value, trimmed; "" without it. */
function attribute(attributes: AdxElement["attributes"], name: string): string {
  return (attributes[name] ?? attributes[name.toLowerCase()] ?? "").trim();
}

/** A field of a QSO as an element. */
export function elementOfField({ name, value, type }: LogField, userDefined: ReadonlySet<string>): string {
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
export function elementOfHeaderField(field: LogField): string {
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
