/**
 * Reads .adx text piece by piece.
 *
 * It scans elements only, which is all that ADX has, and stops at a DOCTYPE: entities other than XML's own are never
 * resolved. `readLog` of hamkit/logs validates the XML; this reader returns the records before the first damage.
 */
import { fieldOfElement, headerFieldOfElement, type AdxElement } from "../logs/adif/adx-element.js";
import type { LogField } from "../logs/log.js";
import type { AdiSink } from "./adi-scanner.js";

/** The longest text between two tags: 16 MB. */
const MAX_TEXT = 16 * 1024 * 1024;

/** A comment, CDATA section, declaration or tag. */
const MARKUP =
  /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<\?[^]*?\?>|<!DOCTYPE|<(\/?)([A-Za-z_][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g;

/** A scanner of decoded text. */
export function createAdxScanner(sink: AdiSink) {
  let text = "";
  let depth = 0;
  let section = "";
  let header: LogField[] = [];
  let fields: LogField[] | undefined;
  let element: AdxElement | undefined;
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
    MARKUP.lastIndex = 0;
    for (let match = MARKUP.exec(text); match; match = MARKUP.exec(text)) {
      addText(text.slice(index, match.index));
      index = MARKUP.lastIndex;
      takeMarkup(match);
      if (hasFailed()) break;
    }
    text = hasFailed() ? "" : text.slice(index);
  }

  function takeMarkup([whole, cdata, slash, name, attributes = "", empty]: RegExpExecArray): void {
    if (cdata !== undefined && element !== undefined) element.text += cdata;
    if (whole === "<!DOCTYPE")
      fail("adx-external-entity", "the document has a DOCTYPE; entities are not resolved");
    if (name === undefined) return;
    if (slash === "") open(name.toUpperCase(), attributesOf(attributes));
    if (slash === "/" || empty === "/") close();
  }

  function addText(raw: string): void {
    if (raw.includes("<")) fail("adx-malformed", "a tag that is not well-formed");
    else if (element !== undefined) element.text += unescapeXml(raw);
  }

  function open(name: string, attributes: Record<string, string>): void {
    depth++;
    if (depth === 2) section = name;
    else if (depth === 3 && section === "RECORDS" && name === "RECORD") fields = [];
    else if ((depth === 3 && section === "HEADER") || (depth === 4 && fields !== undefined))
      element = { name, attributes, text: "" };
  }

  function close(): void {
    if (depth === 4 && element !== undefined) fields?.push(withoutSource(fieldOfElement(element, "")));
    else if (depth === 3 && section === "HEADER" && element !== undefined)
      header.push(headerFieldOfElement(element));
    else if (depth === 3 && fields !== undefined) endRecord(fields);
    else if (depth === 2 && section === "HEADER") {
      sink.header(header, "");
      header = [];
    }
    if (depth >= 3) element = undefined;
    depth--;
  }

  function endRecord(record: readonly LogField[]): void {
    fields = undefined;
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
