/** Reads ADIF by the letter: whole files, and streams record by record. */
import { ArgumentTypeError } from "../errors.js";
import { openScanner } from "../logs/adif-text/adif-scanner.js";
import type { AdifSink, Scanner, ScanOptions, TextFinding } from "../logs/adif-text/adif-sink.js";
import { createAdxScanner } from "../logs/adif-text/adx-scanner.js";
import { encodeUtf8, toByteText } from "../logs/adif-text/byte-text.js";
import type { LogField } from "../logs/log.js";

/** A record: values by field name in upper case. */
export type AdifRecord = Record<string, string>;

/** The header of a file. */
export interface AdifHeader {
  /** The free text before the first field of an .adi file. */
  readonly text: string;
  /** Values by field name in upper case. */
  readonly fields: AdifRecord;
}

/** A finding about the text of a file. Other formats than ADI have its `line`, ADX also its `offset` in UTF-16 units. */
export interface AdifFileFinding extends TextFinding {
  /** Index of the record, from 0, if the finding is about one. */
  readonly record?: number | undefined;
}

/** A file that was read. */
export interface ParsedAdif {
  readonly header: AdifHeader;
  readonly records: readonly AdifRecord[];
  /** What is wrong with the text of the file. `validateRecord` checks the values. */
  readonly findings: readonly AdifFileFinding[];
}

const NO_HEADER: AdifHeader = { text: "", fields: {} };

/**
 * Reads a file in ADI, ADX or the JSON of `writeLog` by the letter: each value of ADI has the length that its tag declares.
 *
 * Damage never throws: it is reported in `findings`, and what can be read is returned. Where a value has characters beyond
 * ASCII, for which ADIF defines no length, bytes, characters or UTF-16 units are taken, whichever the next tag follows.
 * `repairAdif` also corrects wrong lengths.
 *
 * @param input Bytes in UTF-8, Windows-1252 or UTF-16, or text.
 * @returns Records as objects: values by field name in upper case. Of a repeated field the last value is taken.
 * @throws {ArgumentTypeError} The input is neither bytes nor a string.
 * @example
 * const { records } = parseAdif("<call:5>DH1TW <band:3>20m <eor>");
 * records[0]?.CALL; // => "DH1TW"
 */
export function parseAdif(input: string | Uint8Array): ParsedAdif {
  let header = NO_HEADER;
  const records: AdifRecord[] = [];
  const findings: AdifFileFinding[] = [];
  scanAdif(
    input,
    {
      header: (read) => (header = read),
      record: (record) => records.push(record),
      finding: (finding) => findings.push(finding),
    },
    { lengths: "declared" },
  );
  return { header, records, findings };
}

/** A record of a stream. */
export interface StreamedRecord {
  /** Index in the file, from 0. */
  readonly index: number;
  readonly record: AdifRecord;
  /** The header of the file; empty until it has been read. */
  readonly header: AdifHeader;
  /** Findings about the text since the record before. */
  readonly findings: readonly AdifFileFinding[];
}

/**
 * Reads a file in ADI, ADX or JSON record by record, as `parseAdif` does, in memory bounded by the longest record.
 *
 * @param stream Pieces of the file: a file of Node, a `ReadableStream`, an array. Bytes in UTF-8, Windows-1252 or UTF-16, or text.
 * @yields Each record. Findings after the last record are not yielded: pass `onFinding` for all of them.
 * @throws {ArgumentTypeError} The argument is not an iterable of pieces, such as the bytes of a file themselves.
 * @example
 * const calls = [];
 * for await (const { record } of readAdif(["<CALL:5>DH1", "TW<EOR>"])) calls.push(record.CALL);
 * calls; // => ["DH1TW"]
 */
export async function* readAdif(
  stream: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: { readonly onFinding?: (finding: AdifFileFinding) => void } = {},
): AsyncGenerator<StreamedRecord, void, undefined> {
  requireIterable(stream);
  let header = NO_HEADER;
  let findings: AdifFileFinding[] = [];
  let ready: StreamedRecord[] = [];
  let count = 0;
  const sink: RecordSink = {
    header: (read) => (header = read),
    record: (record) => {
      ready.push({ index: count++, record, header, findings });
      findings = [];
    },
    finding: (finding) => {
      options.onFinding?.(finding);
      if (findings.length < MAX_FINDINGS) findings.push(finding);
    },
  };
  const open = (opening: string, decoded: boolean) =>
    openScanner(opening, createRecordCollector(sink), {
      lengths: "declared",
      isText: decoded,
      createAdxScanner,
    });
  let scanner: Scanner | undefined;
  let beginning = "";
  let isText = false;
  const read = createPieceReader();
  for await (const piece of stream) {
    const text = read(piece);
    if (scanner === undefined) {
      isText ||= typeof piece === "string";
      beginning += text;
      if (beginning.length < DETECTION) continue;
      scanner = open(beginning, isText);
      scanner.push(beginning);
    } else scanner.push(text);
    yield* ready;
    ready = [];
  }
  if (scanner === undefined) open(beginning, isText).end(beginning);
  else scanner.end();
  yield* ready;
}

/** Findings that one record keeps: a hostile file has millions. */
const MAX_FINDINGS = 100;
/** Bytes after which the format is known, and the encoding that an XML declaration names. */
const DETECTION = 256;

/** A function that makes byte texts of the pieces of a file. */
function createPieceReader(): (piece: unknown) => string {
  let half = "";
  return (piece) => {
    if (ArrayBuffer.isView(piece))
      return toByteText(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength));
    if (typeof piece !== "string")
      throw new ArgumentTypeError({ argument: "piece of stream", value: piece, expected: "bytes or text" });
    // A character of two units may be cut by the end of a piece.
    const text = half + piece;
    half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    return encodeUtf8(half === "" ? text : text.slice(0, -1));
  };
}

function requireIterable(stream: unknown): void {
  const isIterable =
    typeof stream === "object" &&
    stream !== null &&
    (Symbol.asyncIterator in stream || Symbol.iterator in stream);
  if (isIterable && !ArrayBuffer.isView(stream)) return;
  throw new ArgumentTypeError({
    argument: "stream",
    value: stream,
    expected: "an iterable of pieces, each bytes or text: put a whole file into an array",
  });
}

/** Receives complete records. */
export interface RecordSink {
  header(header: AdifHeader, fields: readonly LogField[]): void;
  /** `fields` are the same values with their types. */
  record(record: AdifRecord, fields: readonly LogField[]): void;
  finding(finding: AdifFileFinding): void;
  /** A value that was read otherwise than its tag declares. `record` is its index, from 0. */
  corrected?(correction: TextCorrection): void;
}

/** A value that was read otherwise than its tag declares. */
interface TextCorrection {
  readonly record: number;
  readonly rule: string;
  readonly field: string;
  /** The value by the letter; `undefined` if the field did not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Reads a whole file into a sink. */
export function scanAdif(input: string | Uint8Array, sink: RecordSink, options: ScanOptions): void {
  const isText = typeof input === "string";
  const text = toByteText(bytesOf(input));
  openScanner(text, createRecordCollector(sink), { ...options, isText, createAdxScanner }).end(text);
}

function bytesOf(input: unknown): Uint8Array {
  if (typeof input === "string") return new TextEncoder().encode(input);
  // Not instanceof: another realm has another Uint8Array.
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  throw new ArgumentTypeError({
    argument: "input",
    value: input,
    expected: "the bytes of an ADIF file, or its text",
  });
}

/** A sink for a scanner that turns fields into records, and reports what is wrong with their names. */
function createRecordCollector(sink: RecordSink): AdifSink {
  let record = 0;
  let isAdi = false;
  const report: ReportField = (level, rule, field, message) =>
    sink.finding({ level, rule, message, record, field });
  return {
    begin(format) {
      isAdi = format === "adi";
    },
    header(fields, text) {
      if (fields.some(({ name }) => name === "ADIF_VERS")) {
        const message = "ADIF_VERS: the field is named ADIF_VER";
        sink.finding({ level: "info", rule: "adif-vers", field: "ADIF_VERS", message });
      }
      sink.header({ text, fields: objectOf(fields) }, fields);
    },
    record(fields) {
      const values = objectOf(fields);
      // Not asked before each value is set: looking for a member that does not exist takes more time than setting it.
      if (Object.keys(values).length < fields.length) reportRepeated(fields, report);
      if (isAdi) for (const { name } of fields) checkName(name, report);
      sink.record(values, fields);
      record++;
    },
    finding(found, scope) {
      const { line, offset, message } = found;
      const place =
        line === undefined ? "" : `line ${line}${offset === undefined ? "" : `, offset ${offset}`}: `;
      sink.finding({ ...found, message: place + message, ...(scope === "record" && { record }) });
    },
    corrected:
      sink.corrected &&
      ((field, rule, before, after) => sink.corrected?.({ record, rule, field, before, after })),
  };
}

type ReportField = (level: AdifFileFinding["level"], rule: string, field: string, message: string) => void;

function reportRepeated(fields: readonly LogField[], report: ReportField): void {
  const names = new Set<string>();
  for (const { name } of fields) {
    if (names.has(name))
      report("warning", "duplicate-field", name, `${name}: occurs twice; the last value is taken`);
    names.add(name);
  }
}

function checkName(name: string, report: ReportField): void {
  if (name.endsWith("_INTL"))
    report("warning", "intl-field-in-adi", name, `${name}: occurs in .adx files only`);
  else if (name.startsWith("APP_") && name.indexOf("_", 4) < 0)
    report("info", "app-field-without-program", name, `${name}: expected APP_PROGRAM_FIELD`);
}

function objectOf(fields: readonly LogField[]): AdifRecord {
  const values: AdifRecord = {};
  for (const { name, value } of fields) values[name] = value;
  return values;
}
