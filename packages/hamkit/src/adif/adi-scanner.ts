/** Reads .adi text piece by piece: one record at a time, and no more of the text in memory than one record needs. */
import { createTagFinder, type AdiTag, type TagFinder } from "../logs/adif/adi-tag.js";
import { isAscii } from "../logs/adif/byte-text.js";
import type { LogField } from "../logs/log.js";
import { declaredValue, evidentValue, type AdiValue } from "./adi-value.js";
import type { AdifFileFinding } from "./adif-finding.js";

/** Receives what the scanner reads. */
export interface AdiSink {
  header(fields: readonly LogField[], text: string): void;
  record(fields: readonly LogField[]): void;
  /** A finding about the current record. */
  finding(finding: AdifFileFinding): void;
  /** A value whose text by the declared length differs from the one that was taken. */
  corrected?(field: string, rule: string, before: string, after: string): void;
}

export interface AdiScannerOptions {
  /** `declared`: values have their declared length. `evident`: a wrong length is corrected by the next tag. */
  readonly lengths: "declared" | "evident";
  /** Names whose tags are taken even if they lack a length: `<CALL>DL1ABC`. */
  readonly isField?: (name: string) => boolean;
}

/** Text that a record may have before the scanner gives up waiting for its end: 16 MB. */
const MAX_RECORD = 16 * 1024 * 1024;
/** Behind the last value, this much is read before it is taken, so that the next tag is known. */
const LOOKAHEAD = 4096;

/** A scanner. `push` accepts byte texts (one character a byte), `end` the end of the file. */
export function createAdiScanner(sink: AdiSink, options: AdiScannerOptions) {
  const { lengths, isField } = options;
  let text = "";
  let index = 0;
  let fields: LogField[] = [];
  let headerText = "";
  let isBegun = false;
  let records = 0;
  /** Whether the text is ASCII, so that values need no decoding. */
  let ascii = true;

  function report(level: AdifFileFinding["level"], rule: string, message: string, field?: string): void {
    sink.finding({ level, rule, message, ...(field !== undefined && { field }) });
  }

  function scan(isLast: boolean): void {
    const findTag = createTagFinder(text);
    ascii = isAscii(text);
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
    }
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
    if (!isBegun && fields.length === 0) headerText += gap;
    if (gap.includes("<")) for (const match of gap.matchAll(LENGTHLESS_TAG)) takeLengthless(match);
  }

  function takeLengthless([, name = "", length, value = ""]: RegExpMatchArray): void {
    const field = name.toUpperCase();
    if (field === "EOR" || field === "EOH" || isField?.(field) === false) return;
    if (field.startsWith("APP_") || /^(?:ADX|HTML|BODY|HEAD|P|BR)$/.test(field)) return;
    const rule = length?.includes("-") === true ? "length-negative" : "colon-missing";
    const taken = isField === undefined ? "the field is skipped" : "the value ends before the next tag";
    report("warning", rule, `${field}: the tag has no length; ${taken}`, field);
    if (isField === undefined) return;
    const after = value.trimEnd();
    sink.corrected?.(field, rule, "", after);
    fields.push({ name: field, value: after });
  }

  function takeField(tag: AdiTag, findTag: TagFinder): void {
    const { name, type } = tag;
    const found = (lengths === "declared" ? declaredValue : evidentValue)(tag, { text, findTag, ascii });
    if (found.rule !== undefined) reportValue(tag, found);
    if (type !== undefined && !INDICATORS.has(type)) reportType(name, type);
    if (hasBlank(tag, text)) report("warning", "space-in-tag", `${name}: blanks in the tag`, name);
    fields.push(type === undefined ? { name, value: found.value } : { name, value: found.value, type });
    index = found.end;
  }

  function reportValue(tag: AdiTag, { value, rule = "" }: AdiValue): void {
    const { name, length, end } = tag;
    const reason = rule.startsWith("length-too")
      ? "contradicts what follows"
      : "is not a count of ASCII characters";
    report("warning", rule, `${name}: the declared length ${length} ${reason}`, name);
    const before = text.slice(end, end + length);
    if (before !== value) sink.corrected?.(name, rule, before, value);
  }

  function reportType(name: string, type: string): void {
    if (type === "C") report("info", "type-indicator-legacy-C", `${name}: type C is of ADIF 2`, name);
    else report("warning", "type-indicator-unknown", `${name}: "${type}" is not a data type of ADIF`, name);
  }

  function endRecord(tag: AdiTag): void {
    index = tag.end;
    isBegun = true;
    if (fields.length > 0) addRecord();
    else report("warning", "duplicate-eor", "<EOR> without fields");
  }

  function addRecord(): void {
    records++;
    sink.record(fields);
    fields = [];
  }

  function endHeader(tag: AdiTag): void {
    index = tag.end;
    if (isBegun) {
      report("warning", "header-in-the-middle", "a second header: the file was put together of several");
    } else sink.header(fields, headerText.trim());
    isBegun = true;
    fields = [];
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
        report("error", "html-instead-of-adif", "the file is a web page, not a log");
      }
      text = "";
    },
  };
}

/** A tag without a usable length, and the text behind it. */
const LENGTHLESS_TAG = /<\s*([A-Z_][A-Z_\d]*)\s*(?::\s*([^<>]*))?>([^<]*)/gi;

/** Whether a tag is longer than its parts, because of blanks in it. */
function hasBlank({ start, end, name, length, type = "" }: AdiTag, text: string): boolean {
  const least = 3 + name.length + digitsOf(length) + (type === "" ? 0 : 1 + type.length);
  return end - start !== least && BLANK_IN_TAG.test(text.slice(start, end));
}

function digitsOf(number: number): number {
  return number < 10 ? 1 : number < 100 ? 2 : String(number).length;
}

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
