/** Reads .adi text piece by piece: one record at a time, and no more of the text in memory than one record needs. */
import { trimmedEnd } from "../logs/adif/adi-extent.js";
import { createTagFinder, type AdiTag, type TagFinder } from "../logs/adif/adi-tag.js";
import { createAsciiRange, decode, isAscii } from "../logs/adif/byte-text.js";
import type { LogField } from "../logs/log.js";
import { declaredValue, evidentValue, type AdiSource, type AdiValue } from "./adi-value.js";
import type { AdifFileFinding } from "./adif-finding.js";

/** Receives what the scanner reads. */
export interface AdiSink {
  header(fields: readonly LogField[], text: string): void;
  record(fields: readonly LogField[]): void;
  /** A finding about the current record, or about the header or the whole file. */
  finding(finding: AdifFileFinding, place?: "header" | "file"): void;
  /** A value of the current record whose text by the declared length, `undefined` without one, differs from the one that was taken. */
  corrected?(field: string, rule: string, before: string | undefined, after: string): void;
}

export interface AdiScannerOptions {
  /** `declared`: values have their declared length. `evident`: a wrong length is corrected by the next tag. */
  readonly lengths: "declared" | "evident";
  /** Names whose tags are taken even if they lack a length: `<CALL>DL1ABC`. */
  readonly isField?: (name: string) => boolean;
}

/** Text that a record may have before the scanner gives up waiting for its end: 16 MB. */
const MAX_RECORD = 16 * 1024 * 1024;
/** Fields that a record may have: ADIF defines less than 200. */
const MAX_FIELDS = 10_000;
/** Text without tags that is kept, so that a tag without a length has its value: 1 MB. */
const MAX_GAP = 1024 * 1024;
/** Behind the last value, this much is read before it is taken, so that the next tag is known. */
const LOOKAHEAD = 4096;

/** A scanner. `push` accepts byte texts (one character a byte), `end` the end of the file. */
export function createAdiScanner(sink: AdiSink, options: AdiScannerOptions) {
  const { lengths, isField } = options;
  let text = "";
  let index = 0;
  let fields: LogField[] = [];
  /** Findings and corrections of these fields: whether they are a record or the header is known at the end. */
  let notes: FieldNote[] = [];
  /** Length of the values and tags of these fields. */
  let size = 0;
  let headerText = "";
  let isBegun = false;
  let records = 0;
  /** Whether the text is ASCII, so that values need no decoding. */
  let ascii = true;
  let isAsciiRange = createAsciiRange(text);

  function report(level: AdifFileFinding["level"], rule: string, message: string, field?: string): void {
    const finding = { level, rule, message, ...(field !== undefined && { field }) };
    if (field === undefined && fields.length === 0) sink.finding(finding);
    else notes.push({ finding });
  }

  function scan(isLast: boolean): void {
    const findTag = createTagFinder(text);
    ascii = isAscii(text);
    isAsciiRange = createAsciiRange(text);
    for (let tag = findTag(index); tag; tag = findTag(index)) {
      if (!isLast && !isComplete(tag)) return;
      takeGap(text.slice(index, tag.start));
      if (!tag.isMark) takeField(tag, findTag);
      else if (tag.name === "EOR") endRecord(tag);
      else endHeader(tag);
    }
    if (isLast) {
      takeGap(text.slice(index));
      index = text.length;
    } else if (text.length - index > MAX_GAP) takeLongGap();
  }

  /** Takes text without a tag, but for the beginning of one at its end. */
  function takeLongGap(): void {
    const last = text.lastIndexOf("<");
    const end = last > index ? last : text.length;
    takeGap(text.slice(index, end));
    index = end;
  }

  /** Whether the text behind a tag suffices to know where its value ends. */
  function isComplete(tag: AdiTag): boolean {
    const needed = tag.isMark ? tag.end : tag.end + tag.length + LOOKAHEAD;
    return needed <= text.length || text.length - index > MAX_RECORD;
  }

  /** Text between fields: usually blanks. */
  function takeGap(gap: string): void {
    if (gap === "" || gap === " " || gap === "\n" || gap === "\r\n") return;
    if (gap.includes("\0")) report("warning", "nul-bytes", "NUL bytes between fields");
    if (!isBegun && fields.length === 0) headerText += gap.slice(0, MAX_RECORD - headerText.length);
    if (gap.includes("<")) for (const match of gap.matchAll(LENGTHLESS_TAG)) takeLengthless(match);
  }

  function takeLengthless([, name = "", length, value = ""]: RegExpMatchArray): void {
    const field = name.toUpperCase();
    if (field === "EOR" || field === "EOH" || isField?.(field) === false) return;
    if (field.startsWith("APP_") || /^(?:ADX|HTML|BODY|HEAD|P|BR)$/.test(field)) return;
    const rule = lengthRule(length?.trim());
    const taken = isField === undefined ? "the field is skipped" : "the value ends before the next tag";
    report("warning", rule, `${field}: the tag has no usable length; ${taken}`, field);
    if (isField === undefined) return;
    const after = decode(value.slice(0, trimmedEnd(value)));
    notes.push({ index: fields.length, rule, before: undefined });
    addField({ name: field, value: after }, name.length + value.length);
  }

  function addField(field: LogField, length: number): void {
    fields.push(field);
    size += length;
    if (fields.length < MAX_FIELDS && size < MAX_RECORD) return;
    report("error", "record-too-long", "no <EOR> after 10000 fields or 16 MB: the record ends here");
    addRecord();
  }

  function takeField(tag: AdiTag, findTag: TagFinder): void {
    const { name, type } = tag;
    const source = { text, findTag, ascii, isAsciiRange };
    const found = lengths === "declared" ? declaredValue(tag, source) : evidentValue(tag, source);
    if (found.rule !== undefined) reportValue(tag, found, source);
    if (type !== undefined && !INDICATORS.has(type)) reportType(name, type);
    if (hasBlank(tag, text)) report("warning", "space-in-tag", `${name}: blanks in the tag`, name);
    index = found.end;
    const { value } = found;
    addField(type === undefined ? { name, value } : { name, value, type }, found.end - tag.start);
  }

  function reportValue(tag: AdiTag, { value, rule = "" }: AdiValue, source: AdiSource): void {
    const { name, length } = tag;
    const reason = rule.startsWith("length-too")
      ? "contradicts what follows"
      : "is not a count of ASCII characters";
    report("warning", rule, `${name}: the declared length ${length} ${reason}`, name);
    const before = declaredValue(tag, source).value;
    if (before !== value) notes.push({ index: fields.length, rule, before });
  }

  function reportType(name: string, type: string): void {
    if (type === "C") report("info", "type-indicator-legacy-C", `${name}: type C is of ADIF 2`, name);
    else report("warning", "type-indicator-unknown", `${name}: "${type}" is not a data type of ADIF`, name);
  }

  function checkMark({ name, start, end }: AdiTag): void {
    if (end - start === MARK_LENGTH || !text.slice(start, end).includes(":")) return;
    const finding = {
      level: "warning",
      rule: "mark-with-length",
      message: `<${name}> has no length`,
    } as const;
    notes.push({ finding });
  }

  function endRecord(tag: AdiTag): void {
    index = tag.end;
    checkMark(tag);
    isBegun = true;
    if (fields.length > 0) return addRecord();
    flushNotes();
    clearFields();
    report("warning", "duplicate-eor", "<EOR> without fields");
  }

  function addRecord(): void {
    isBegun = true;
    records++;
    flushNotes();
    sink.record(fields);
    clearFields();
  }

  function flushNotes(place?: "header"): void {
    for (const note of notes) {
      if ("finding" in note) sink.finding(note.finding, place);
      else if (place === undefined) correct(note);
    }
  }

  /** Of a repeated field the last value is taken, and only its correction counts. */
  function correct({ index: at, rule, before }: Correction): void {
    const { name, value } = fields[at] ?? { name: "", value: "" };
    if (fields.findLastIndex((field) => field.name === name) === at)
      sink.corrected?.(name, rule, before, value);
  }

  function clearFields(): void {
    fields = [];
    notes = [];
    size = 0;
  }

  function endHeader(tag: AdiTag): void {
    index = tag.end;
    checkMark(tag);
    flushNotes("header");
    if (isBegun) {
      const message = "a second header: the file was put together of several";
      sink.finding({ level: "warning", rule: "header-in-the-middle", message });
    } else sink.header(fields, decode(headerText).trim());
    isBegun = true;
    clearFields();
  }

  return {
    push(more: string): void {
      // Joined once per piece; the read part is dropped, so that memory is bounded by the longest record.
      text = index === 0 ? text + more : text.slice(index) + more;
      index = 0;
      scan(false);
    },
    end(): void {
      text = text.slice(index);
      index = 0;
      scan(true);
      if (fields.length > 0) {
        report("warning", "eor-missing", "the last record has no <EOR>: the file may be truncated");
        addRecord();
      } else if (records === 0 && /<(?:!doctype\s+)?html/i.test(headerText)) {
        const message = "the file is a web page, not a log";
        sink.finding({ level: "error", rule: "html-instead-of-adif", message }, "file");
      }
      text = "";
    },
  };
}

/** A correction: of the field with this index. */
interface Correction {
  readonly index: number;
  readonly rule: string;
  readonly before: string | undefined;
}

type FieldNote = Correction | { readonly finding: AdifFileFinding };

/** A tag without a usable length, and the text behind it. Blanks are matched once, so that it takes linear time. */
const LENGTHLESS_TAG = /<\s*([A-Z_][A-Z_\d]*)\s*(?::([^<>]*))?>([^<]*)/gi;

/** What is wrong with the length of a tag: nothing behind the colon, a negative number, other text. */
function lengthRule(length: string | undefined): string {
  if (length === undefined) return "colon-missing";
  if (length === "") return "length-missing";
  return /^-\s*\d/.test(length) ? "length-negative" : "length-not-a-number";
}

/** Whether a tag is longer than its parts, because of blanks in it. */
function hasBlank({ start, end, name, length, type = "" }: AdiTag, text: string): boolean {
  const least = 3 + name.length + digitsOf(length) + (type === "" ? 0 : 1 + type.length);
  return end - start !== least && BLANK_IN_TAG.test(text.slice(start, end));
}

function digitsOf(number: number): number {
  return number < 10 ? 1 : number < 100 ? 2 : String(number).length;
}

/** Of `<EOR>`. */
const MARK_LENGTH = 5;

const BLANK_IN_TAG = /<\s|\s:|:\s|\s>/;
const INDICATORS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "B",
  "N",
  "D",
  "T",
  "S",
  "I",
  "M",
  "G",
  "E",
  "L",
]);
