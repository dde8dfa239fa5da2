/**
 * Scans .adi text, whole or piece by piece: one record at a time, and no more of the text in memory than one record needs.
 *
 * @see https://adif.org: ADIF 3.1.7, "ADI File Format".
 */
import type { LogField } from "../log.js";
import { createTagFinder, type AdiTag } from "./adi-tag.js";
import type { AdifSink, Scanner, ScanOptions, TextFinding } from "./adif-sink.js";
import { BOM, createAsciiRange, decode, isAscii } from "./byte-text.js";
import { gapDamage, type GapDamage } from "./damaged-tags.js";
import {
  countBudget,
  extentOf,
  isEndOfValue,
  trimmedEnd,
  type AdiSource,
  type LengthFault,
} from "./value-end.js";

/** Text that a record may have before the scanner gives up waiting for its end: 16 MB. */
const MAX_RECORD = 16 * 1024 * 1024;
/** Fields that a record may have: ADIF defines less than 200. */
const MAX_FIELDS = 10_000;
/** Text without tags that is kept, so that a tag without a length has its value: 1 MB. */
const MAX_GAP = 1024 * 1024;
/** Behind the last value, this much is read before it is taken, so that the next tag is known. */
const LOOKAHEAD = 4096;

/** A scanner of byte texts (one character a byte). */
export function createAdiScanner(sink: AdifSink, { lengths, isField, keeper }: ScanOptions): Scanner {
  const budget = countBudget();
  /** The text that is in memory, its place in the file, and the index of the next character in it. */
  let source: AdiSource = sourceOf("");
  let base = 0;
  let index = 0;
  let fields: LogField[] = [];
  /** Those of the record before. */
  let lastFields: readonly LogField[] = [];
  /** Place of the first of these fields, and index after the last. */
  let begin = 0;
  let fieldsEnd = 0;
  /** Findings and corrections of these fields: whether they are a record or the header is known at the end. */
  let notes: FieldNote[] = [];
  /** Whether the length of the last of these fields contradicts what follows. */
  let isDamaged = false;
  /** Whether any length did, or a gap has lost something: then the extent of a field may depend on what follows. */
  let hasDamage = false;
  /** Length of the values and tags of these fields. */
  let size = 0;
  let headerText = "";
  let hasHeader = false;
  let records = 0;

  function sourceOf(text: string): AdiSource {
    const findTag = createTagFinder(text);
    return { text, findTag, ascii: isAscii(text), isAsciiRange: createAsciiRange(text), budget };
  }

  function warn(rule: string, message: string, at: number, field?: string): void {
    report("warning", rule, message, at, field);
  }

  function report(
    level: TextFinding["level"],
    rule: string,
    message: string,
    at: number,
    field?: string,
  ): void {
    const finding = { level, rule, message, field };
    if (field === undefined && fields.length === 0) sink.finding(finding, "record", base + at);
    else notes.push({ finding, at: base + at });
  }

  function reportFile(level: TextFinding["level"], rule: string, message: string): void {
    sink.finding({ level, rule, message }, "file", 0);
  }

  /** Whether neither a header nor a record has been read. */
  function isOpening(): boolean {
    return !hasHeader && records === 0;
  }

  function scan(isLast: boolean): void {
    const { text, findTag } = source;
    if (base === 0 && index === 0 && text.startsWith(BOM)) index = BOM.length;
    for (let tag = findTag(index); tag; tag = findTag(index)) {
      if (!isLast && !isComplete(tag)) return;
      takeGap(tag.start);
      if (!tag.isMark) takeField(tag);
      else if (tag.name === "EOR") endRecord(tag);
      else endHeader(tag);
    }
    if (isLast) takeGap(text.length);
    else if (text.length - index > MAX_GAP) {
      // But for the beginning of a tag at its end.
      const last = text.lastIndexOf("<");
      takeGap(last > index ? last : text.length);
    }
  }

  /** Whether the text behind a tag suffices to know where its value ends. */
  function isComplete(tag: AdiTag): boolean {
    const { text, ascii } = source;
    // A length that counts characters may have four bytes for each.
    const length = ascii ? tag.length : 4 * tag.length;
    const needed = tag.isMark ? tag.end : tag.end + length + LOOKAHEAD;
    return needed <= text.length || text.length - index > MAX_RECORD;
  }

  /** Takes the text between fields, usually blanks, up to an index. */
  function takeGap(to: number): void {
    const start = index;
    if (isUsualGap(source.text, start, to)) return;
    const gap = source.text.slice(start, to);
    index = to;
    if (gap.includes("\0")) warn("nul-bytes", "NUL bytes between fields", start);
    const isFree = isOpening() && fields.length === 0;
    for (const damage of gapDamage(gap, fields.length > 0, isDamaged))
      takeDamage(damage, start + damage.index);
    // Up to a tag without a length that was taken.
    const end = fields.length > 0 ? begin - base - start : MAX_RECORD - headerText.length;
    if (isFree) headerText += gap.slice(0, end);
  }

  /** Reports what a gap lost. A tag without a length is taken with the text behind it, if its field is known. */
  function takeDamage({ rule, name, text }: GapDamage, at: number): void {
    hasDamage = true;
    if (name === undefined) {
      warn(rule, `${JSON.stringify(text.slice(0, 60))} belongs to no field`, at);
      return;
    }
    const isTaken = isField?.(name) === true;
    const result = isTaken ? "the value ends before the next tag" : "the field is skipped";
    warn(rule, `${name}: the tag has no usable length; ${result}`, at, name);
    if (!isTaken) return;
    notes.push({ index: fields.length, rule, before: undefined });
    const value = decode(text.slice(0, trimmedEnd(text)));
    addField({ name, value, type: undefined }, at, name.length + text.length);
  }

  function addField(field: LogField, start: number, length: number): void {
    if (fields.length === 0) begin = base + start;
    fields.push(field);
    size += length;
    if (fields.length < MAX_FIELDS && size < MAX_RECORD) return;
    const message = "no <EOR> after 10000 fields or 16 MB: the record ends here";
    report("error", "record-too-long", message, index);
    addRecord(index);
  }

  function takeField(tag: AdiTag): void {
    const { name, type } = tag;
    const { text, ascii } = source;
    const start = fields.length === 0 ? tag.start : fieldsEnd;
    let end = tag.end + tag.length;
    let fault: LengthFault | undefined;
    // Nearly all values of a log end so.
    if (!ascii || !isEndOfValue(text, end)) ({ end, fault } = extentOf(tag, source, lengths));
    isDamaged = fault?.isWrong === true;
    if (fault !== undefined) reportFault(tag, end, fault);
    if (type !== undefined && !INDICATORS.has(type)) reportType(name, type, tag.start);
    if (hasBlank(tag, text)) warn("space-in-tag", `${name}: blanks in the tag`, tag.start, name);
    index = fieldsEnd = end;
    addField(fieldOf(tag, start, end), tag.start, end - tag.start);
    if (keeper === undefined || !ascii || hasDamage) return;
    index = fieldsEnd = keeper.takeRepeated(text, index, lastFields, fields);
  }

  /** The field of a tag; `start` is where its source text begins, with the separator before the tag. */
  function fieldOf(tag: AdiTag, start: number, end: number): LogField {
    const { name, type } = tag;
    if (keeper === undefined) return { name, value: valueOf(tag, end), type };
    const adi = source.text.slice(start, end);
    return keeper.get(adi) ?? keeper.add(adi, { name, value: valueOf(tag, end), type, adi });
  }

  function valueOf(tag: AdiTag, end: number): string {
    const raw = source.text.slice(tag.end, end);
    return source.ascii ? raw : decode(raw);
  }

  function reportFault(tag: AdiTag, end: number, { rule, message, isWrong }: LengthFault): void {
    if (isWrong) hasDamage = true;
    warn(rule, message, tag.start, tag.name);
    if (sink.corrected === undefined) return;
    const before = valueOf(tag, extentOf(tag, source, "declared").end);
    if (before !== valueOf(tag, end)) notes.push({ index: fields.length, rule, before });
  }

  function reportType(name: string, type: string, at: number): void {
    if (type === "C") report("info", "type-indicator-legacy-C", `${name}: type C is of ADIF 2`, at, name);
    else warn("type-indicator-unknown", `${name}: "${type}" is not a data type of ADIF`, at, name);
  }

  function checkMark({ name, start, end }: AdiTag): void {
    if (end - start === MARK_LENGTH || !source.text.slice(start, end).includes(":")) return;
    const message = `<${name}> has no length`;
    notes.push({ finding: { level: "warning", rule: "mark-with-length", message }, at: base + start });
  }

  function endRecord(tag: AdiTag): void {
    index = tag.end;
    checkMark(tag);
    if (fields.length > 0) {
      addRecord(index);
      return;
    }
    flushNotes("record");
    clearFields();
    warn("duplicate-eor", "<EOR> without fields", tag.start);
  }

  function addRecord(end: number): void {
    if (isOpening() && headerText.trim() !== "")
      reportFile("warning", "eoh-missing", "text before the first QSO, but no header that ends with <EOH>");
    records++;
    flushNotes("record");
    sink.record(fields, { begin, fieldsEnd: base + fieldsEnd, end: base + end });
    lastFields = fields;
    clearFields();
  }

  function flushNotes(scope: "record" | "header"): void {
    for (const note of notes) {
      // Text between the fields of a header is a comment.
      if ("finding" in note && scope === "header" && note.finding.rule === "text-in-record") continue;
      if ("finding" in note) sink.finding(note.finding, scope, note.at);
      else if (scope === "record") correct(note);
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
    isDamaged = false;
  }

  /** Ends the header. A later header, in concatenated logs, is text between two records. */
  function endHeader(tag: AdiTag): void {
    index = tag.end;
    checkMark(tag);
    flushNotes("header");
    if (isOpening()) sink.header(fields, decode(headerText).trim(), base + index);
    else {
      const names = fields.map(({ name }) => name).slice(0, 20);
      const lost = names.length === 0 ? "" : `: ${names.join(", ")} are no QSO`;
      clearFields();
      warn("header-in-the-middle", `a second header${lost}`, tag.start);
    }
    hasHeader = true;
    clearFields();
  }

  function endFile(): void {
    if (fields.length > 0) {
      warn("eor-missing", "the last QSO has no <EOR>: the file may be truncated", begin - base);
      addRecord(fieldsEnd);
      return;
    }
    const isOther = isOpening();
    if (!isOther) flushNotes("record");
    if (records === 0 && /<(?:!doctype\s+)?html/i.test(headerText))
      reportFile("error", "html-instead-of-adif", "the file is a web page, not a log");
    else if (isOther && headerText.trim() !== "")
      reportFile("error", "not-adif", "the file is neither ADI nor ADX nor JSON: no field was found");
  }

  /** Adds text behind what has not been read, which alone is kept: memory is bounded by the longest record. */
  function append(more: string): void {
    const { text } = source;
    base += index;
    fieldsEnd -= index;
    source = sourceOf(index === text.length ? more : text.slice(index) + more);
    index = 0;
  }

  return {
    push(more: string): void {
      append(more);
      scan(false);
    },
    end(more = ""): void {
      append(more);
      scan(true);
      endFile();
    },
  };
}

/** A correction: of the field with this index. */
interface Correction {
  readonly index: number;
  readonly rule: string;
  readonly before: string | undefined;
}

type FieldNote = Correction | { readonly finding: TextFinding; readonly at: number };

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
const INDICATORS: ReadonlySet<string> = /* @__PURE__ */ new Set("BNDTSIMGEL");

/** Whether the text between two indexes is one of the separators that programs write: nothing, a blank, a line end. */
function isUsualGap(text: string, from: number, to: number): boolean {
  if (to - from > 1) return to - from === 2 && text.startsWith("\r\n", from);
  const character = text[from];
  return from === to || character === " " || character === "\n";
}
