/** Detects the format of a log and reads it. */
import { ArgumentTypeError, LogError } from "../errors.js";
import { showValue } from "../show-value.js";
import { createTagFinder } from "./adif-text/adi-tag.js";
import { isAdx, isJson, openScanner, utf16Of } from "./adif-text/adif-scanner.js";
import {
  type AdifSink,
  type AdxFailure,
  type RecordOffsets,
  type TextFinding,
  createSourceKeeper,
} from "./adif-text/adif-sink.js";
import { decode, toByteText } from "./adif-text/byte-text.js";
import { readCabrillo } from "./cabrillo/cabrillo-reader.js";
import { readEdi } from "./edi/edi-reader.js";
import { isFle, readFle } from "./fle/fle-reader.js";
import {
  addProblem,
  isFull,
  noProblems,
  sharedFrame,
  type Log,
  type LogField,
  type LogHeader,
  type LogProblem,
  type Qso,
  type QsoFrame,
} from "./log.js";

/** Options of `readLog`. */
export interface ReadLogOptions {
  /** The file's name, for messages; default "the log". */
  readonly name?: string;
  /** FLE: QSOs without a time get one between those of the QSOs around them. Default: the time of the QSO before. */
  readonly interpolateTimes?: boolean | undefined;
  /** FLE: QSOs without a sent number get the next one. Default: what was sent last is repeated. */
  readonly consecutiveNumbers?: boolean | undefined;
}

const MEGABYTE = 1024 * 1024;

/** Maximum file size: a log takes up to ten times its size in memory. */
export const MAX_LOG_BYTES = 256 * MEGABYTE;

/** Maximum size of a log in FLE, where few characters are a QSO: a million of them, typed by hand. */
const MAX_FLE_MEGABYTES = 16;

/**
 * Reads a log: ADIF as .adi, .adx or the JSON of `writeLog`, Cabrillo, EDI (REG1TEST), or the shorthand of fast log
 * entry (FLE). The format is detected by the content.
 *
 * Damaged parts are reported in the log's `problems`; the rest is read. Lengths of .adi fields count bytes, or characters
 * if the program that wrote the log counted those. Text is UTF-8 or Windows-1252.
 *
 * @param data The content of the file.
 * @throws {LogError} The content is not a log, is .adx that is not well-formed or has a DOCTYPE, or exceeds 256 MB, in FLE 16 MB.
 * @throws {ArgumentTypeError} The argument is neither bytes nor a string.
 * @example
 * const log = await readLog("<CALL:5>DH1TW<QSO_DATE:8>20240101<TIME_ON:4>1200<EOR>");
 * log.qsos.length; // => 1
 * log.qsos[0]?.fields[0]?.value; // => "DH1TW"
 */
export async function readLog(data: Uint8Array | string, options: ReadLogOptions = {}): Promise<Log> {
  const { name = "the log" } = options;
  const raw = bytesOf(data);
  const utf16 = utf16Of(String.fromCharCode(...raw.subarray(0, 2)));
  const isText = typeof data === "string" || utf16 !== undefined;
  const bytes = utf16 === undefined ? raw : new TextEncoder().encode(new TextDecoder(utf16).decode(raw));
  requireSize(bytes, MAX_LOG_BYTES / MEGABYTE, name);
  const other = otherFileKind(bytes);
  if (other !== undefined) throw notALog(name, other);
  const text = toByteText(bytes);
  const isXml = isAdx(text);
  const readContest = isXml ? undefined : contestReader(text);
  if (readContest !== undefined) return readContest(decode(text));
  if (!isXml && beginsLikeFle(text)) {
    requireSize(bytes, MAX_FLE_MEGABYTES, name);
    return readFle(decode(text), options);
  }
  if (!isXml && !isJson(text) && createTagFinder(text)(0) === undefined) throw notALog(name, foundIn(text));
  const createAdxScanner = isXml ? (await import("./adif-text/adx-scanner.js")).createAdxScanner : undefined;
  const { sink, finish } = createLogSink(text, name);
  openScanner(text, sink, { lengths: "bounded", keeper: createSourceKeeper(), isText, createAdxScanner }).end(
    text,
  );
  return finish();
}

function requireSize({ length }: Uint8Array, max: number, file: string): void {
  if (length <= max * MEGABYTE) return;
  const found = `one of ${Math.round(length / MEGABYTE)} MB`;
  throw new LogError({ file, expected: `a log of ${max} MB or less`, found });
}

/** What is expected of a file, for errors. */
export const ANY_LOG = "a log in ADIF, Cabrillo, EDI or FLE";

function notALog(file: string, found: string): LogError {
  return new LogError({ file, expected: ANY_LOG, found });
}

/** Whether a byte text begins like a log in another format than ADIF. */
export function isOtherLog(beginning: string): boolean {
  return contestReader(beginning) !== undefined || beginsLikeFle(beginning);
}

/** Where a log may begin behind other text, such as the head of a message. */
const MAX_PREAMBLE = 64 * 1024;

/** The reader of a contest format. The header of an .adi file that was converted from one begins like it. */
function contestReader(text: string): ((text: string) => Log) | undefined {
  const [, cabrillo, edi] =
    /^(?:\u00EF\u00BB\u00BF)?\s*(?:((?:START-OF-LOG|(?:X-)?QSO):)|(\[REG1TEST))/i.exec(text) ?? [];
  const isLater = (cabrillo ?? edi) === undefined && /^START-OF-LOG:/im.test(text.slice(0, MAX_PREAMBLE));
  if (((cabrillo ?? edi) === undefined && !isLater) || /<EO[HR]>/i.test(text)) return undefined;
  return edi === undefined ? readCabrillo : readEdi;
}

/** The first word of a line of FLE: a keyword, a date, band, frequency or time. */
const MAY_BE_FLE =
  /^(?:\u00EF\u00BB\u00BF)?[^\S\n]*(?:mycall|date|\d[\d.]{0,9}(?:[cm]?m|[^\w\s]\d+[^\w\s]\d+)?)(?=\s)/im;

/** Whether a byte text is FLE. ADIF may have lines of FLE in its header. */
function beginsLikeFle(text: string): boolean {
  if (/^\s*</.test(text) || !MAY_BE_FLE.test(text.slice(0, MAX_PREAMBLE))) return false;
  return isFle(text) && !/<EO[HR]>/i.test(text);
}

function bytesOf(data: unknown): Uint8Array {
  if (typeof data === "string") return new TextEncoder().encode(data);
  // Not instanceof: another realm has another Uint8Array.
  if (!ArrayBuffer.isView(data)) {
    throw new ArgumentTypeError({
      argument: "data",
      value: data,
      expected: "the bytes of a file, or its text",
    });
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** The beginning of a file that is not a log, for the error. */
function foundIn(text: string): string {
  return text.trim() === "" ? "nothing" : showValue(decode(text.slice(0, 200)).trim());
}

/** Findings of the scanner by which a log may have lost something, and their subjects. */
const KINDS: Readonly<Record<string, LogProblem["kind"]>> = {
  "adx-encoding": "line",
  "adx-unexpected": "line",
  "colon-missing": "length",
  "eoh-missing": "line",
  "eor-missing": "end",
  "header-in-the-middle": "line",
  "html-instead-of-adif": "line",
  "json-cut": "end",
  "json-malformed": "line",
  "latin1-bytes": "line",
  "length-missing": "length",
  "length-negative": "length",
  "length-not-a-number": "length",
  "length-too-long": "length",
  "length-too-long-at-end": "length",
  "length-too-short": "length",
  "not-adif": "line",
  "record-too-long": "line",
  "tag-damaged": "length",
  "text-in-record": "line",
};

/**
 * A sink that makes a log of what the scanner reads. It keeps every byte of the file, in the source text of a field, a QSO or the
 * log itself, so that writing it reproduces the file.
 *
 * @param bytes The file as a byte text.
 */
function createLogSink(bytes: string, file: string): { sink: AdifSink; finish: () => Log } {
  let format: "adi" | "adx" | "json" = "adi";
  /** The text that offsets refer to. */
  let text = bytes;
  const lineOf = createLineCounter(bytes);
  let header: LogHeader = { text: "", fields: [] };
  const qsos: Qso[] = [];
  const problems = noProblems();
  /** Those since the last QSO, with their offsets: lines are counted in ascending order. */
  let pending: { readonly kind: LogProblem["kind"]; readonly message: string; readonly at: number }[] = [];
  let headerEnd = 0;
  /** Offset behind the text that is assigned to the header or to QSOs. */
  let consumed = 0;
  /** Fields of an earlier QSO in which no name has two values. */
  let distinct: readonly LogField[] = [];

  function finding({ rule, message, line }: TextFinding, at: number): void {
    const kind = KINDS[rule];
    // A value in Windows-1252 is no problem.
    if (kind === undefined || (rule === "latin1-bytes" && line === undefined)) return;
    // If no further problem is kept, its line does not matter.
    if (line === undefined && !isFull(problems)) pending.push({ kind, message, at });
    else addProblem(problems, { line: line ?? 0, kind, message });
  }

  /** Reports those before an offset. */
  function reportPending(end = Infinity): void {
    if (pending.length === 0) return;
    pending.sort((a, b) => a.at - b.at);
    const later = pending.findIndex(({ at }) => at >= end);
    const due = later < 0 ? pending : pending.slice(0, later);
    for (const { kind, message, at } of due) addProblem(problems, { line: lineOf(at), kind, message });
    pending = later < 0 ? [] : pending.slice(later);
  }

  function record(fields: readonly LogField[], place: RecordOffsets): void {
    reportPending(place.begin);
    const line = place.line ?? lineOf(place.begin);
    reportPending();
    const repeated = format === "adi" ? repeatedName(fields) : undefined;
    if (repeated !== undefined) {
      const message = `${repeated} occurs twice with different values: the <EOR> between two QSOs may be missing`;
      addProblem(problems, { line, kind: "line", message });
    }
    if (format === "json") qsos.push({ line, fields });
    else if (format === "adi") qsos.push({ line, fields, adi: frameOf(place) });
    else qsos.push({ line, fields, adx: frameOf(place) });
  }

  /** The text around the fields. */
  function frameOf({ begin, fieldsEnd, end }: RecordOffsets): QsoFrame {
    const before = text.slice(consumed, begin);
    // A QSO without <EOR> ends with its last field.
    consumed = format === "adi" && end > fieldsEnd ? afterLineEnd(text, end) : end;
    const after = text.slice(fieldsEnd, consumed);
    return sharedFrame(format === "adi" ? qsos.at(-1)?.adi : qsos.at(-1)?.adx, before, after);
  }

  /** The name of a field that occurs twice with different values. Most QSOs have the fields of the one before. */
  function repeatedName(fields: readonly LogField[]): string | undefined {
    if (haveSameNames(fields, distinct)) return undefined;
    const values = new Map<string, string>();
    let repeated: string | undefined;
    for (const { name, value } of fields) {
      if (values.has(name) && values.get(name) !== value) repeated ??= name;
      values.set(name, value);
    }
    distinct = values.size === fields.length ? fields : [];
    return repeated;
  }

  return {
    sink: {
      begin(found, decoded) {
        format = found;
        text = decoded ?? bytes;
      },
      header(fields, free, end) {
        header = { text: free, fields };
        headerEnd = consumed = end;
        reportPending();
      },
      record,
      finding: (found, _scope, at) => finding(found, at),
      failed: (failure) => {
        throw damageError(failure, file);
      },
    },
    finish() {
      reportPending();
      const [before, after] = [text.slice(0, headerEnd), text.slice(consumed)];
      const frame = format === "adx" ? { before: inUtf8(before), after: inUtf8(after) } : { before, after };
      return { format, header, qsos, ...problems, ...(format !== "json" && { [format]: frame }) };
    },
  };
}

/** In the same order, as those of most QSOs and the one before. */
function haveSameNames(fields: readonly LogField[], others: readonly LogField[]): boolean {
  if (fields.length !== others.length) return false;
  for (let index = 0; index < fields.length; index++)
    if (fields[index]?.name !== others[index]?.name) return false;
  return true;
}

/** The beginning of a document, which is written in UTF-8, with a declaration of that. */
function inUtf8(text: string): string {
  const declaration = /^([^<]*<\?xml\s[^>]*?encoding\s*=\s*["'])(?!(?:utf-?8|(?:us-)?ascii)["'])[^"'>]*/i;
  return text.replace(declaration, "$1UTF-8");
}

function damageError({ rule, message, line, offset }: AdxFailure, file: string): LogError {
  if (rule === "adx-encoding") return new LogError({ file, expected: "text in UTF-8", found: message });
  if (rule === "adx-external-entity")
    return new LogError({ file, expected: "XML without a DOCTYPE", found: "a DOCTYPE", line });
  if (rule === "not-adx") return new LogError({ file, expected: "an ADX document", found: message, line });
  return new LogError({ file, expected: "well-formed XML", found: `${message} (offset ${offset})`, line });
}

/** A function for the line, from 1, of an offset. Offsets must be passed in ascending order. */
function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (offset) => {
    while (next >= 0 && next < offset) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}

/** The line end belongs to the QSO before it, so that others can be appended. */
function afterLineEnd(text: string, index: number): number {
  const after = text.startsWith("\r", index) ? index + 1 : index;
  return text.startsWith("\n", after) ? after + 1 : index;
}

// Recognizes files that are no logs, although parts of them can look like fields: archives and compressed files, pictures,
// documents, databases. A log that is stored in an archive without compression is in it letter for letter.

/** What files begin with, in Latin-1, from the documents of their formats. */
const ARCHIVES: Readonly<Record<string, string>> = {
  "\u001F\u008B": "a gzip file (.gz, .tgz)",
  "PK\u0003\u0004": "a ZIP file",
  "7z\u00BC\u00AF": "a 7z file",
  "Rar!": "a RAR file",
  BZh: "a bzip2 file",
  "\u00FD7zXZ": "an xz file",
};
const OTHERS: Readonly<Record<string, string>> = {
  "%PDF-": "a PDF document",
  "\u0089PNG": "a PNG picture",
  "\u00FF\u00D8\u00FF": "a JPEG picture",
  "SQLite format 3\u0000": "an SQLite database",
};

/** The name of the format in the header of a tar file, and where it is. */
const TAR = { mark: "ustar", at: 257 };

/** Bytes that are looked at, and the share of control characters in them that no text has: random bytes have a tenth. */
const LOOKED_AT = 1024;
const MAX_CONTROLS = 0.05;

/** @returns What the file is, for "found ..."; `undefined` if it may be a log. */
export function otherFileKind(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, LOOKED_AT));
  const nameIn = (kinds: typeof OTHERS) =>
    Object.entries(kinds).find(([start]) => text.startsWith(start))?.[1];
  const archive = text.startsWith(TAR.mark, TAR.at) ? "a tar file" : nameIn(ARCHIVES);
  if (archive !== undefined) return `${archive}, which has to be unpacked first`;
  const other = nameIn(OTHERS);
  if (other !== undefined) return other;
  // Damaged logs are read: with a few such bytes, or after a tag.
  const isText = text.startsWith("\u00FF\u00FE") || text.startsWith("\u00FE\u00FF") || /^\s*</.test(text);
  const controls = bytes.subarray(0, LOOKED_AT).filter(isControl).length;
  return !isText && controls > Math.max(8, MAX_CONTROLS * text.length) ? "binary data" : undefined;
}

/** Not what separates lines and pages, nor the end of a file in DOS. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 32 && byte !== 26) || byte === 127;
}
