/**
 * Received XML: decoded, parsed to plain elements and text, and its times.
 *
 * DOCTYPE, entities, processing instructions, CDATA sections, and in messages comments, are rejected before parsing: with them one
 * text can be read as two documents, and SAML does not need them.
 */
import { inflateRawSync } from "node:zlib";

import { DOMParser } from "@xmldom/xmldom";

import type { Moment } from "../../../platform/clock.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { AssertionRefusedError } from "../../federation-errors.js";

/** Characters of a message; assertions have some thousands. */
export const MAX_MESSAGE_LENGTH = 262_144;
/** Characters of metadata: the limit of downloads and of stored settings. */
const MAX_METADATA_LENGTH = 1_048_576;
const MAX_DEPTH = 64;
/** Tags (start and end), and attributes, of a message: enough for a thousand groups. */
const MAX_TAGS = 4000;
/** The same for metadata: a hundred providers have some 20,000, and take 0.2 s. */
const MAX_METADATA_TAGS = 40_000;

/** The text is not well-formed, exceeds a limit, or holds elements that are not expected. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** The parameter of a request that has a message. */
export type MessageName = "SAMLRequest" | "SAMLResponse";

/** Of a message in base64, with the line ends that providers put in: up to four bytes of UTF-8 for a character. */
const MAX_ENCODED_LENGTH = 8 * MAX_MESSAGE_LENGTH;

/**
 * The XML of a received message.
 *
 * @param options.isDeflated By HTTP-Redirect.
 * @throws {AssertionRefusedError}
 */
export function decodeMessage(
  name: MessageName,
  encoded: string,
  { isDeflated = false }: { readonly isDeflated?: boolean } = {},
): string {
  // The patterns below take space for each character.
  if (encoded.length > MAX_ENCODED_LENGTH)
    throw malformed(`${name} has more than ${MAX_ENCODED_LENGTH} characters`);
  const plain = encoded.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) throw malformed(`${name} is not in base64`);
  const bytes = Buffer.from(plain, "base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(isDeflated ? inflated(bytes) : bytes);
  } catch (cause) {
    throw malformed(isDeflated ? `${name} is not in deflated UTF-8` : `${name} is not in UTF-8`, { cause });
  }
}

/** @throws {RangeError} More bytes than a message may have characters. */
function inflated(bytes: Buffer): Buffer {
  return inflateRawSync(bytes, { maxOutputLength: MAX_MESSAGE_LENGTH });
}

function malformed(reason: string, options?: ErrorOptions): AssertionRefusedError {
  return new AssertionRefusedError({ step: "message", reason }, options);
}

/** The root element of a message. @throws {XmlError} */
export function readMessage(xml: string): Element {
  checkSize(xml, { characters: MAX_MESSAGE_LENGTH, tags: MAX_TAGS });
  if (xml.includes("<!--")) throw new XmlError("comments are not allowed");
  return parse(xml);
}

/** The root element of metadata, in which comments are common. @throws {XmlError} */
export function readMetadataXml(xml: string): Element {
  checkSize(xml, { characters: MAX_METADATA_LENGTH, tags: MAX_METADATA_TAGS });
  // With positions in errors, for the author of the metadata; messages are a single line.
  return parse(xml.replaceAll(/<!--(?:(?!--)[^])*-->/g, ""), { ...PARSING, locator: {} });
}

/** The cost of parsing grows with elements and attributes, not with text: they are counted before. */
function checkSize(
  xml: string,
  { characters, tags }: { readonly characters: number; readonly tags: number },
): void {
  if (xml.length > characters) throw new XmlError(`more than ${characters} characters`);
  if (hasMore(xml, /</g, tags)) throw new XmlError(`more than ${tags} tags`);
  if (hasMore(xml, /=\s*["']/g, tags)) throw new XmlError(`more than ${tags} attributes`);
}

/** Counts without an array of the matches, of which there may be a million. */
function hasMore(text: string, pattern: RegExp, max: number): boolean {
  let count = 0;
  while (count <= max && pattern.test(text)) count++;
  return count > max;
}

function parse(xml: string, options: object = PARSING): Element {
  const body = xml.replace(/^\uFEFF?\s*(?:<\?xml\s[^<>?]*\?>)?/, "");
  if (body.includes("<!")) throw new XmlError("DOCTYPE, comments and CDATA sections are not allowed");
  if (body.includes("<?")) throw new XmlError("processing instructions are not allowed");
  const document = new DOMParser(options).parseFromString(body, "text/xml") as Document | undefined;
  const root = document?.documentElement;
  if (root === undefined || root === null) throw new XmlError("no root element");
  checkDepth(root);
  return root;
}

/** Typed here: the library's type lacks `normalizeLineEndings`. */
const PARSING = {
  errorHandler: (_level: string, message: unknown) => fail(message),
  normalizeLineEndings,
};

/** As in XML 1.0. The parser's default accepts more line ends, so that `admin` followed by one of them would read as `admin`. */
function normalizeLineEndings(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** The parser's message quotes the document, which may hold passwords and names: only the position is reported. */
function fail(message: unknown): never {
  const [, line, column] = /@#\[line:(\d+),col:(\d+)\]\s*$/.exec(String(message)) ?? [];
  const place = line === undefined ? "" : ` at line ${line}, column ${column}`;
  throw new XmlError(`XML is not well-formed${place}`);
}

function checkDepth(root: Element): void {
  let level: Element[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new XmlError(`elements nested deeper than ${MAX_DEPTH} levels`);
    level = level.flatMap((element) => elementsIn(element));
  }
}

/** Child elements. */
export function elementsIn(parent: Element): Element[] {
  return Array.from({ length: parent.childNodes.length }, (_, index) => parent.childNodes.item(index)).filter(
    (node): node is Element => node.nodeType === 1,
  );
}

export interface ElementName {
  readonly namespace: string;
  readonly name: string;
}

export function isNamed(element: Element, { namespace, name }: ElementName): boolean {
  return element.localName === name && element.namespaceURI === namespace;
}

/** Child elements of a name. */
export function childrenOf(parent: Element, name: ElementName): Element[] {
  return elementsIn(parent).filter((element) => isNamed(element, name));
}

/** The only child of a name; `undefined` without one. @throws {XmlError} Several. */
export function childOf(parent: Element, name: ElementName): Element | undefined {
  const [first, ...others] = childrenOf(parent, name);
  if (others.length > 0) throw new XmlError(`several ${name.name} in ${parent.localName}, expected one`);
  return first;
}

/** @throws {XmlError} None, or several. */
export function requireChild(parent: Element, name: ElementName): Element {
  const child = childOf(parent, name);
  if (child === undefined) throw new XmlError(`no ${name.name} in ${parent.localName}`);
  return child;
}

/** An element and its descendants, breadth first. */
export function descendantsOf(root: Element): Element[] {
  const found = [root];
  // The loop visits what it appends.
  for (const element of found) for (const child of elementsIn(element)) found.push(child);
  return found;
}

/** An attribute; `undefined` without one. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined;
}

/** The trimmed text of an element without child elements. @throws {XmlError} */
export function textOf(element: Element): string {
  if (elementsIn(element).length > 0)
    throw new XmlError(`${element.localName} holds elements, expected text`);
  return trimXml(element.textContent ?? "");
}

/** Trims the white space of XML only. Other white space is part of a name: `admin` followed by it is another user. */
export function trimXml(text: string): string {
  return text.replace(/^[ \t\r\n]+/, "").replace(/(?<![ \t\r\n])[ \t\r\n]+$/, "");
}

/** An attribute as a time; `undefined` without it. @throws {XmlError} It is no time. */
export function momentOf(element: Element, name: string): Moment | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (moment === undefined)
    throw new XmlError(
      `${name} of ${element.localName} is ${quoted(text)}, expected a time in UTC such as "2026-11-21T12:00:00Z"`,
    );
  return moment;
}

/** In UTC. @see SAML core, 1.3.3 */
export function parseMoment(text: string): Moment | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text)) return undefined;
  const moment = Date.parse(text.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(moment) ? undefined : moment;
}

const SECONDS = { years: 31_536_000, months: 2_592_000, days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
const DURATION =
  /^P(?=.)(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<days>\d+)D)?(?:T(?=.)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+(?:\.\d+)?)S)?)?$/;

/** An `xs:duration` in milliseconds, with years of 365 days and months of 30; `undefined` if it is none, or negative. */
export function parseDuration(text: string): number | undefined {
  const { groups } = DURATION.exec(text) ?? {};
  if (groups === undefined) return undefined;
  return Object.entries(SECONDS).reduce(
    (sum, [unit, seconds]) => sum + Number(groups[unit] ?? 0) * seconds * 1000,
    0,
  );
}
