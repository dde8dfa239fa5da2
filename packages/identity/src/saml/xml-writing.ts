/** XML as it is written: text that can't become markup, in characters that every reader of the bytes takes for the same. */
import type { Moment } from "../platform/clock.js";
import { InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";

/** Markup, as opposed to text that looks like it. */
export interface Xml {
  readonly xml: string;
}

/** Values by name; those that are `undefined` are left out. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** Something has a character that XML has no way to write. */
export class XmlCharacterError extends InvalidError {
  override readonly name = "XmlCharacterError";
  override readonly code = "xml/character";

  constructor() {
    super("There is a character that XML can't hold in a name that would be in the assertion");
  }
}

/** An element. Text among its content is escaped, markup is not. */
export function element(name: string, attributes: XmlAttributes, ...content: readonly (Xml | string)[]): Xml {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${escapeXml(value)}"`,
  );
  const inner = content.map((part) => (typeof part === "string" ? escapeXml(part) : part.xml));
  return { xml: `<${name}${written.join("")}>${inner.join("")}</${name}>` };
}

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @throws {XmlCharacterError} */
export function escapeXml(text: string): string {
  // Half of a pair of UTF-16, and everything that XML 1.0 leaves out.
  // oxlint-disable-next-line no-control-regex
  if (/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text))
    throw new XmlCharacterError();
  // A line end or a tab would reach the reader as a blank.
  return text
    .replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? character)
    .replaceAll(/[\t\n\r]/g, reference);
}

/** An id that is a name in XML, which no digit may begin. */
export function xmlId(newId: NewId): string {
  return `_${newId()}`;
}

/** Whole seconds in UTC. */
export function instant(moment: Moment): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

/**
 * The same document in ASCII. Clients that take `text/xml` without a charset for Latin-1 hand it on unbroken, and a signature
 * is one over characters, however they are written.
 */
export function inAscii(xml: string): string {
  return xml.replaceAll(/[\u{80}-\u{10FFFF}]/gu, reference);
}

function reference(character: string): string {
  return `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`;
}
