/**
 * Reads .adx text piece by piece.
 *
 * It scans elements only, which is all that ADX has, and stops at a DOCTYPE: entities other than XML's own are never
 * resolved. `readLog` of hamkit/logs validates the XML; this reader returns the records before the first damage.
 */
import { fieldOfElement, headerFieldOfElement, type AdxElement } from "../logs/adif/adx-element.js";
import type { LogField } from "../logs/log.js";
import type { AdiSink } from "./adi-scanner.js";

/** The longest text between two tags, and the longest record: 16 MB. */
const MAX_TEXT = 16 * 1024 * 1024;
/** What an element takes beside its text, and a piece of text beside its characters. */
const ELEMENT_SIZE = 100;
const PIECE_SIZE = 32;

const CDATA = "<![CDATA[";
/** How comments, CDATA sections and declarations begin and end. Searched, since an expression tries each beginning up to the end. */
const SECTIONS = [
  ["<!--", "-->"],
  [CDATA, "]]>"],
  ["<?", "?>"],
] as const;

const TAG = /<(\/?)([A-Za-z_][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;

/** A scanner of decoded text. */
export function createAdxScanner(sink: AdiSink) {
  let text = "";
  let depth = 0;
  let section = "";
  let header: LogField[] = [];
  let fields: LogField[] | undefined;
  let element: AdxElement | undefined;
  /** Of the current record or header. */
  let size = 0;
  let failed = false;

  function hasFailed(): boolean {
    return failed;
  }

  function fail(rule: string, message: string): void {
    failed = true;
    sink.finding({ level: "error", rule, message });
  }

  function scan(): void {
    let index = 0;
    for (let start = text.indexOf("<"); start >= 0; start = text.indexOf("<", index)) {
      const markup = markupAt(text, start);
      if (markup === undefined) break;
      addText(unescapeXml(text.slice(index, start)));
      takeMarkup(markup);
      if (hasFailed()) break;
      index = markup.end;
    }
    text = hasFailed() ? "" : text.slice(index);
  }

  function takeMarkup({ kind, cdata = "", tag }: Markup): void {
    if (kind === "doctype")
      fail("adx-external-entity", "the document has a DOCTYPE; entities are not resolved");
    else if (kind === "malformed") fail("adx-malformed", "a tag that is not well-formed");
    else if (tag === undefined) addText(cdata);
    else takeTag(tag);
  }

  function takeTag([, slash, name = "", attributes = "", empty]: RegExpExecArray): void {
    if (slash === "") open(name.toUpperCase(), attributes);
    if (slash === "/" || empty === "/") close();
  }

  function addText(more: string): void {
    if (element === undefined || more === "") return;
    element.text += more;
    grow(more.length + PIECE_SIZE);
  }

  function grow(length: number): void {
    size += length;
    if (size > MAX_TEXT) fail("adx-malformed", "a record of more than 16 MB");
  }

  function open(name: string, attributes: string): void {
    depth++;
    if (depth === 2) section = name;
    else if (depth === 3 && section === "RECORDS" && name === "RECORD") fields = [];
    else if ((depth === 3 && section === "HEADER") || (depth === 4 && fields !== undefined)) {
      element = { name, attributes: attributesOf(attributes), text: "" };
      grow(ELEMENT_SIZE + attributes.length);
    }
  }

  function close(): void {
    if (depth === 4 && element !== undefined) fields?.push(withoutSource(fieldOfElement(element, "")));
    else if (depth === 3 && section === "HEADER" && element !== undefined)
      header.push(headerFieldOfElement(element));
    else if (depth === 3 && fields !== undefined) endRecord(fields);
    else if (depth === 2 && section === "HEADER") {
      sink.header(header, "");
      header = [];
      size = 0;
    }
    if (depth >= 3) element = undefined;
    depth--;
  }

  function endRecord(record: readonly LogField[]): void {
    fields = undefined;
    size = 0;
    if (record.length > 0) sink.record(record);
  }

  return {
    push(more: string): void {
      if (failed) return;
      text += more;
      scan();
      if (text.length > MAX_TEXT) fail("adx-malformed", "more than 16 MB without a tag");
    },
    end(): void {
      if (!failed && (depth > 0 || text.trim() !== ""))
        fail("adx-cut", "the document ends within an element");
    },
  };
}

/** A piece of markup. */
interface Markup {
  readonly kind: "section" | "tag" | "doctype" | "malformed";
  /** Index after it. */
  readonly end: number;
  readonly cdata?: string;
  readonly tag?: RegExpExecArray;
}

/** The markup at a "<"; `undefined` if its end may still come. */
function markupAt(text: string, start: number): Markup | undefined {
  for (const [begin, close] of SECTIONS) {
    if (!text.startsWith(begin, start)) continue;
    const at = text.indexOf(close, start + begin.length);
    const cdata = begin === CDATA ? text.slice(start + begin.length, at) : "";
    return at < 0 ? undefined : { kind: "section", end: at + close.length, cdata };
  }
  if (text.startsWith("<!DOCTYPE", start)) return { kind: "doctype", end: start };
  TAG.lastIndex = start;
  const tag = TAG.exec(text);
  if (tag !== null) return { kind: "tag", end: TAG.lastIndex, tag };
  // No tag contains another "<".
  return text.includes("<", start + 1) ? { kind: "malformed", end: start } : undefined;
}

function withoutSource({ name, value, type }: LogField): LogField {
  return type === undefined ? { name, value } : { name, value, type };
}

function attributesOf(text: string): Record<string, string> {
  const pairs = Array.from(text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g));
  return Object.fromEntries(
    pairs.map(([, name = "", double, single]) => [name.toUpperCase(), unescapeXml(double ?? single ?? "")]),
  );
}

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Replaces character references and XML's own five entities; others stay as they are. */
function unescapeXml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[String(name)] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
