/** Writes and signs XML: text is escaped, and characters beyond ASCII are references. */
import type { Moment } from "../platform/clock.js";
import { errorClass, InvalidError } from "../platform/errors.js";
import type { NewId } from "../platform/ids.js";
import type { signDocument } from "./sign-xml.js";

/** Markup, which is not escaped again. */
export interface Xml {
  readonly xml: string;
}

/** Values by name; those that are `undefined` are left out. */
export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** A name contains a character that XML 1.0 can't represent. */
export class XmlCharacterError extends errorClass(
  InvalidError,
  "xml/character",
  "There is a character that XML can't hold in a name that would be in the assertion",
) {}

/** An element. Strings among its content are escaped, markup is not. */
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
  // Unpaired surrogates, and characters outside XML 1.0.
  // oxlint-disable-next-line no-control-regex
  if (/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text))
    throw new XmlCharacterError();
  // Parsers normalize line ends and tabs in attributes to blanks.
  return text
    .replaceAll(/[&<>"]/g, (character) => ESCAPED[character] ?? character)
    .replaceAll(/[\t\n\r]/g, reference);
}

/** An XML id, which must not begin with a digit. */
export function xmlId(newId: NewId): string {
  return `_${newId()}`;
}

/** `xs:dateTime` in UTC, in whole seconds. */
export function instant(moment: Moment): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

/**
 * The same document in ASCII: clients that decode `text/xml` without a charset as Latin-1 pass it on intact. Signatures stay
 * valid, since they cover characters, not bytes.
 */
export function inAscii(xml: string): string {
  return xml.replaceAll(/[\u{80}-\u{10FFFF}]/gu, reference);
}

function reference(character: string): string {
  return `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`;
}

/** {@link signDocument}, loaded by the first signature: most processes sign no XML. */
export async function signXml(...request: Parameters<typeof signDocument>): Promise<string> {
  // A module of our own: those of other packages have no names when they are bundled and imported on demand.
  const { signDocument: sign } = await import("./sign-xml.js");
  return sign(...request);
}
