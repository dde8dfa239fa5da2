/**
 * XML that others have written, read as plain elements and text.
 *
 * Everything by which one text can be two documents is refused before it is parsed: document types, entities, processing
 * instructions, sections of raw text, and in messages comments too. Nobody's messages have them but attackers'.
 */
import { DOMParser } from "@xmldom/xmldom";

/** Characters of a message at most: assertions have some thousands. */
const MAX_MESSAGE = 262_144;
/** Of metadata: as much as is stored or downloaded of it. */
const MAX_METADATA = 1_048_576;
const MAX_DEPTH = 64;
/** Beginnings and ends of elements in a message at most, and attributes: a thousand groups have as many. */
const MAX_TAGS = 4000;
/** The same for metadata: that of a hundred providers has some 20,000, and takes 0.2 s. */
const MAX_METADATA_TAGS = 40_000;

/** The text is no XML that is read here. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** A message's root. @throws {XmlError} */
export function readMessage(xml: string): Element {
  checkSize(xml, { characters: MAX_MESSAGE, tags: MAX_TAGS });
  if (xml.includes("<!--")) throw new XmlError("there is a comment");
  return parse(xml);
}

/** The root of metadata, in which comments are common. @throws {XmlError} */
export function readMetadataXml(xml: string): Element {
  checkSize(xml, { characters: MAX_METADATA, tags: MAX_METADATA_TAGS });
  // Where it is not well-formed whoever wrote it wants to know the place; messages have one line.
  return parse(xml.replaceAll(/<!--(?:(?!--)[^])*-->/g, ""), { ...PARSING, locator: {} });
}

/** What parsing takes grows with the elements and attributes, not with the text: they are counted before it begins. */
function checkSize(
  xml: string,
  { characters, tags }: { readonly characters: number; readonly tags: number },
): void {
  if (xml.length > characters) throw new XmlError(`more than ${characters} characters`);
  if (hasMore(xml, /</g, tags)) throw new XmlError(`more than ${tags} tags`);
  if (hasMore(xml, /=\s*["']/g, tags)) throw new XmlError(`more than ${tags} attributes`);
}

/** Without an array of the pieces, of which there may be a million. */
function hasMore(text: string, pattern: RegExp, most: number): boolean {
  let count = 0;
  while (count <= most && pattern.test(text)) count++;
  return count > most;
}

function parse(xml: string, options: object = PARSING): Element {
  const body = xml.replace(/^\uFEFF?\s*(?:<\?xml\s[^<>?]*\?>)?/, "");
  if (body.includes("<!"))
    throw new XmlError("there is a document type, a comment, or a section of raw text");
  if (body.includes("<?")) throw new XmlError("there is a processing instruction");
  const document = new DOMParser(options).parseFromString(body, "text/xml") as Document | undefined;
  const root = document?.documentElement;
  if (root === undefined || root === null) throw new XmlError("there is no element");
  checkDepth(root);
  return root;
}

/** The type that the library has of it lacks a member. */
const PARSING = {
  errorHandler: (_level: string, message: unknown) => fail(message),
  normalizeLineEndings,
};

/** As XML 1.0 has it. By itself the parser has more line ends, so that `admin` with one of those behind it would be `admin`. */
function normalizeLineEndings(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** The parser's own message quotes the document, in which there may be passwords and names: only the place is told. */
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

/** Children, without text. */
export function elementsIn(parent: Element): Element[] {
  return Array.from({ length: parent.childNodes.length }, (_, index) => parent.childNodes.item(index)).filter(
    (node): node is Element => node.nodeType === 1,
  );
}

export interface ElementName {
  readonly namespace: string;
  readonly name: string;
}

/** Whether an element has this name. */
export function isNamed(element: Element, { namespace, name }: ElementName): boolean {
  return element.localName === name && element.namespaceURI === namespace;
}

/** Children of a name. */
export function childrenOf(parent: Element, name: ElementName): Element[] {
  return elementsIn(parent).filter((element) => isNamed(element, name));
}

/** The only child of a name; `undefined` without one. @throws {XmlError} There are several. */
export function childOf(parent: Element, name: ElementName): Element | undefined {
  const [first, ...others] = childrenOf(parent, name);
  if (others.length > 0) throw new XmlError(`there are several ${name.name}`);
  return first;
}

/** @throws {XmlError} There is none, or several. */
export function requireChild(parent: Element, name: ElementName): Element {
  const child = childOf(parent, name);
  if (child === undefined) throw new XmlError(`there is no ${name.name}`);
  return child;
}

/** Everything below an element, and itself: what is nearer comes first. */
export function descendantsOf(root: Element): Element[] {
  const found = [root];
  // What is added on the way is looked at, too.
  for (const element of found) for (const child of elementsIn(element)) found.push(child);
  return found;
}

/** An attribute; `undefined` without one. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined;
}

/** The text of an element that has nothing else, without blanks around it. @throws {XmlError} */
export function textOf(element: Element): string {
  if (elementsIn(element).length > 0) throw new XmlError(`there are elements in ${element.localName}`);
  return withoutBlanks(element.textContent ?? "");
}

/** Without the blanks of XML around it. Others are part of a name: `admin` with one of them behind it is somebody else. */
export function withoutBlanks(text: string): string {
  return text.replace(/^[ \t\r\n]+/, "").replace(/(?<![ \t\r\n])[ \t\r\n]+$/, "");
}
