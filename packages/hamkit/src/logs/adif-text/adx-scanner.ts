/**
 * Scans .adx documents, whole or piece by piece: one record at a time.
 *
 * XML is parsed by saxes, which rejects what is not well-formed and knows no entities but XML's own. Field names and header fields
 * get their .adi form, so that the formats can be converted.
 *
 * @see https://adif.org: ADIF 3.1.7, "ADX File Format".
 */
import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from "saxes";

import { showValue } from "../../show-value.js";
import type { LogField } from "../log.js";
import type { AdifSink, AdxFailure, Scanner, SourceKeeper } from "./adif-sink.js";

/** The longest record or header, and the longest piece between two tags: 16 MB. */
const MAX_SIZE = 16 * 1024 * 1024;
/** What an element takes in addition to its text. */
const ELEMENT_SIZE = 100;
/** ADX has four levels. */
const MAX_DEPTH = 40;
/** Characters of lost content that a message quotes. */
const MAX_QUOTE = 40;
/** Thrown to leave the XML parser, which continues after an error. */
const STOP = Symbol("stop");

const ATTRIBUTES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "PROGRAMID",
  "FIELDNAME",
  "FIELDID",
  "TYPE",
  "ENUM",
  "RANGE",
]);

/** What precedes the message of a failure. */
const PREFIXES: Readonly<Partial<Record<AdxFailure["rule"], string>>> = {
  "adx-cut": "the document ends within an element: ",
  "not-adx": "the root element is not <ADX> but ",
};

/** An element with its text. */
interface AdxElement {
  /** In upper case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** The whole text, and what gives fields their part of it. */
interface WholeText {
  readonly text: string;
  readonly keeper: SourceKeeper;
}

/** A place in a document. */
type AdxPlace = Pick<AdxFailure, "line" | "offset">;

/**
 * A scanner of decoded text. What precedes the first damage is kept.
 *
 * @param source Given if fields are to have their source text.
 */
export function createAdxScanner(sink: AdifSink, source?: WholeText): Scanner {
  const parser = new SaxesParser({ xmlns: true });
  const references = createReferenceCheck();
  /** Length of the text that the XML parser has. */
  let parsed = 0;
  let hasFailed = false;
  /** Whether no input follows. */
  let isEnding = false;
  /** Number of open elements: ADX, HEADER or RECORDS, a header field or RECORD, a field. */
  let depth = 0;
  let namespace = "";
  let section = "";
  let headers = 0;
  let isRecord = false;
  let element: AdxElement | undefined;
  /** The outermost open element that belongs to no part of ADX, and its depth. */
  let foreign: { readonly message: string; readonly depth: number; text: string } | undefined;
  /** Index of the last tag or text. */
  let lastPosition = 0;
  /** Of the open record or header. */
  let size = 0;
  let header: LogField[] = [];
  /** Offset behind the opening tag RECORDS. */
  let headerEnd = 0;
  let fields: LogField[] = [];
  let begin: AdxPlace = { line: 1, offset: 0 };
  let fieldsEnd = 0;

  function place(): AdxPlace {
    lastPosition = parser.position;
    return { line: parser.line, offset: lastPosition };
  }

  function fail(rule: AdxFailure["rule"], message: string, at = place()): never {
    hasFailed = true;
    sink.failed?.({ rule, message, ...at });
    const last = fields.at(-1)?.name;
    const rest = last === undefined ? "" : `; the record ends behind its field ${last}`;
    report(rule, `${PREFIXES[rule] ?? ""}${message}${rest}; nothing behind it is read`, at);
    if (header.length > 0) endHeader();
    if (fields.length > 0) endRecord();
    throw STOP;
  }

  function report(rule: string, message: string, at: AdxPlace): void {
    sink.finding(
      { level: "error", rule, message, ...at },
      isRecord || fields.length > 0 ? "record" : "file",
      0,
    );
  }

  function open(tag: SaxesTagNS): void {
    depth++;
    if (depth > MAX_DEPTH) fail("adx-malformed", `elements are nested deeper than ${MAX_DEPTH} levels`);
    grow(ELEMENT_SIZE);
    if (foreign !== undefined) return;
    const name = tag.local.toUpperCase();
    if (depth === 1) {
      namespace = tag.uri;
      if (name !== "ADX") fail("not-adx", `<${tag.name}>`);
      checkAttributes(tag);
    } else if (element !== undefined) {
      foreign = { message: `${element.name}: has an element <${tag.name}> in it`, depth, text: "" };
    } else if (tag.uri === namespace && openPart(name, tag)) checkAttributes(tag);
    else foreign = { message: `<${tag.name}> is no part of ADX`, depth, text: "" };
  }

  function grow(length: number): void {
    size += length;
    if (size > MAX_SIZE) fail("adx-malformed", "a record of more than 16 MB");
  }

  /** Opens a part of ADX; `false` for other elements. */
  function openPart(name: string, { attributes }: SaxesTagNS): boolean {
    if (depth === 2) {
      section = name;
      if (name === "HEADER") return headers++ === 0;
      if (name === "RECORDS" && headerEnd === 0) {
        headerEnd = place().offset;
        endHeader();
      }
      return name === "RECORDS";
    }
    if (depth === 3 && section === "RECORDS") {
      isRecord = name === "RECORD";
      if (isRecord) {
        begin = place();
        fieldsEnd = begin.offset;
      }
      return isRecord;
    }
    element = { name, attributes: valuesOf(attributes), text: "" };
    return true;
  }

  /** An attribute of a field may hold what the reader does not know; one elsewhere has no meaning in ADX. */
  function checkAttributes({ name, attributes }: SaxesTagNS): void {
    for (const { name: attribute, prefix, value } of Object.values(attributes)) {
      if (prefix !== "" || attribute === "xmlns") continue; // of a schema
      if (element !== undefined && ATTRIBUTES.has(attribute.toUpperCase())) continue;
      unexpected(`<${name}> has the attribute ${attribute}=${showValue(value)}`, place());
    }
    if (/^(?:APP|USERDEF)$/.test(element?.name ?? "") && depth === 4 && !hasName(element))
      unexpected(`<${name}> has no FIELDNAME`, place());
  }

  function addText(text: string): void {
    lastPosition = parser.position;
    grow(text.length);
    // The text of an element within a field is its value's.
    if (element !== undefined) element.text += text;
    if (foreign !== undefined) foreign.text = (foreign.text + text).slice(0, MAX_QUOTE);
    else if (element === undefined && depth > 0 && text.trim() !== "")
      unexpected(
        `unexpected text outside of fields: ${JSON.stringify(text.trim().slice(0, MAX_QUOTE))}`,
        place(),
      );
  }

  function close(): void {
    if (foreign?.depth === depth) endForeign(foreign);
    else if (foreign === undefined) closePart();
    depth--;
    if (depth <= 2 && !isRecord) size = 0;
  }

  function endForeign({ message, text }: { readonly message: string; readonly text: string }): void {
    foreign = undefined;
    const content = text.trim() === "" ? "" : `: ${JSON.stringify(text.trim())}`;
    const result = element === undefined ? "; its content is left out" : "; only its text is taken";
    unexpected(`${message}${result}${content}`, place());
  }

  function closePart(): void {
    if (element !== undefined) {
      if (depth === 4) fields.push(fieldOf(element, place().offset));
      else header.push(headerFieldOf(element));
      element = undefined;
    } else if (depth === 3 && isRecord) {
      if (fields.length > 0) endRecord();
      isRecord = false;
    } else if (depth === 2 && section === "HEADER" && headerEnd > 0) endHeader();
  }

  /** A field whose element ends at an offset. */
  function fieldOf(read: AdxElement, end: number): LogField {
    const start = fieldsEnd;
    fieldsEnd = end;
    const field = fieldOfElement(read);
    if (source === undefined) return field;
    const adx = source.text.slice(start, end);
    return source.keeper.get(adx) ?? source.keeper.add(adx, { ...field, adx });
  }

  function endHeader(): void {
    sink.header(header, "", headerEnd);
    header = [];
  }

  function endRecord(): void {
    sink.record(fields, { begin: begin.offset, fieldsEnd, end: parser.position, line: begin.line });
    fields = [];
  }

  function unexpected(message: string, at: AdxPlace): void {
    report("adx-unexpected", message, at);
  }

  function parse(text: string): void {
    if (text === "") return;
    parser.write(text);
    parsed += text.length;
  }

  /** Calls the XML parser, up to the first damage. */
  function guarded(work: () => void): void {
    if (hasFailed) return;
    try {
      work();
    } catch (error) {
      if (error !== STOP) throw error;
    }
  }

  parser.on("doctype", () =>
    fail("adx-external-entity", "the document has a DOCTYPE; entities are not resolved"),
  );
  parser.on("error", ({ message }) => {
    const text = message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
    fail(isEnding ? "adx-cut" : "adx-malformed", text);
  });
  parser.on("opentag", open);
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", close);

  return {
    push: (text) =>
      guarded(() => {
        const { text: checked, fault } = references.check(text);
        parse(checked);
        // Not parser.position, which counts a piece twice at its end.
        const problem =
          fault === undefined
            ? parsed - lastPosition > MAX_SIZE && "more than 16 MB without a tag"
            : `${JSON.stringify(fault)} is not a reference; & itself is written as &amp;`;
        if (problem !== false) fail("adx-malformed", problem, { line: parser.line, offset: parsed });
      }),
    end(text = "") {
      this.push(text);
      guarded(() => {
        parse(references.rest());
        isEnding = true;
        parser.close();
        if (header.length > 0) endHeader();
      });
    },
  };
}

function hasName(element: AdxElement | undefined): boolean {
  return (element?.attributes["FIELDNAME"] ?? "").trim() !== "";
}

/** Values by name in upper case: readers accept any case. */
function valuesOf(attributes: Readonly<Record<string, SaxesAttributeNS>>): Record<string, string> {
  return Object.fromEntries(
    Object.values(attributes).map(({ name, value }) => [name.toUpperCase(), value] as const),
  );
}

/** An element of a QSO as a field. */
function fieldOfElement({ name, attributes, text }: AdxElement): LogField {
  if (name !== "APP" && name !== "USERDEF") return { name, value: text, type: undefined };
  const type = typeOf(attributes);
  const fieldName = valueOf(attributes, "FIELDNAME").toUpperCase();
  if (name === "USERDEF") return { name: fieldName, value: text, type };
  const program = valueOf(attributes, "PROGRAMID").toUpperCase();
  return { name: `APP_${program}_${fieldName}`, value: text, type };
}

/** An element of the header as a field. */
function headerFieldOf({ name, attributes, text }: AdxElement): LogField {
  if (name !== "USERDEF") return { name, value: text };
  const braces = valueOf(attributes, "ENUM") || valueOf(attributes, "RANGE");
  const value = braces === "" ? text : `${text},${braces}`;
  return { name: `USERDEF${valueOf(attributes, "FIELDID")}`, value, type: typeOf(attributes) };
}

function typeOf(attributes: AdxElement["attributes"]): string | undefined {
  const type = valueOf(attributes, "TYPE").toUpperCase();
  return type === "" ? undefined : type;
}

/** The attribute's value, trimmed; "" without it. */
function valueOf(attributes: AdxElement["attributes"], name: string): string {
  return (attributes[name] ?? "").trim();
}

/** The references without a DOCTYPE: XML's five entities, and characters by number. */
const REFERENCE = /&(?:amp|lt|gt|apos|quot|#[0-9]{1,20}|#x[0-9A-F]{1,20});/iy;
/** The beginning of one, or of a section, at the end of a piece. */
const CUT = /&(?:#?[0-9A-Z]{0,21})$|<(?:!(?:-|\[[CDAT]{0,5})?)?$/i;
/** An ampersand, or the beginning of a section whose text has no references. */
const START = /&|<!--|<!\[CDATA\[|<\?/g;
const ENDS: Readonly<Record<string, string>> = { "<!--": "-->", "<![CDATA[": "]]>", "<?": "?>" };
/** Longer than any `CUT`. */
const MAX_CUT = 24;

/** The checked part of a text. */
interface CheckedReferences {
  /** Up to the first ampersand that begins no reference; without what the end of the piece may have cut. */
  readonly text: string;
  /** What is at that ampersand. */
  readonly fault?: string;
}

/**
 * A check of text piece by piece for an ampersand that begins no reference, such as that of `A & B`. The XML parser reads on up to
 * the next semicolon, so that it would report it there, or at the end of the document.
 *
 * `rest` is the end of the last piece that was held back.
 *
 * @see https://www.w3.org/TR/xml/#sec-references: XML 1.0, section 4.1.
 */
function createReferenceCheck(): { check: (piece: string) => CheckedReferences; rest: () => string } {
  let held = "";
  /** The end of the open section; "" outside of sections. */
  let sectionEnd = "";

  function check(piece: string): CheckedReferences {
    const text = held + piece;
    let index = 0;
    for (;;) {
      if (sectionEnd !== "") {
        const end = text.indexOf(sectionEnd, index);
        if (end < 0) return hold(text, Math.max(index, text.length - sectionEnd.length + 1));
        index = end + sectionEnd.length;
        sectionEnd = "";
      }
      START.lastIndex = index;
      const found = START.exec(text);
      if (found === null) return hold(text, cutAt(text, index));
      index = found.index + found[0].length;
      sectionEnd = ENDS[found[0]] ?? "";
      if (sectionEnd !== "") continue;
      REFERENCE.lastIndex = found.index;
      if (REFERENCE.test(text)) index = REFERENCE.lastIndex;
      else if (cutAt(text, found.index) === found.index) return hold(text, found.index);
      else return { text: text.slice(0, found.index), fault: text.slice(found.index, index + 20) };
    }
  }

  function hold(text: string, end: number): CheckedReferences {
    held = text.slice(end);
    return { text: text.slice(0, end) };
  }

  return { check, rest: () => held };
}

/** Index of what the end of a text may have cut, or its length. */
function cutAt(text: string, from: number): number {
  const start = Math.max(from, text.length - MAX_CUT);
  const index = text.slice(start).search(CUT);
  return index < 0 ? text.length : start + index;
}
