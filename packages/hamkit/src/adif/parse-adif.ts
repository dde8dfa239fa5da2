/** Reads ADIF by the letter: whole files, and streams record by record. */
import { ArgumentTypeError } from "../errors.js";
import { toByteText } from "../logs/adif/byte-text.js";
import { BOM, createScanner, scanAdif } from "./scan-adif.js";
import type { AdifFileFinding } from "./adif-finding.js";
import type { AdifHeader, AdifRecord, RecordSink } from "./record-collector.js";

/** A file that was read. */
export interface ParsedAdif {
  readonly header: AdifHeader;
  readonly records: readonly AdifRecord[];
  /** What is wrong with the text of the file. `validateRecord` checks the values. */
  readonly findings: readonly AdifFileFinding[];
}

const NO_HEADER: AdifHeader = { text: "", fields: {} };

/**
 * Reads a file in ADI or ADX by the letter: each value has the length that its tag declares.
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
 * Reads a file in ADI or ADX record by record, as `parseAdif` does, in memory bounded by the longest record.
 *
 * @param stream Pieces of the file: a file of Node, a `ReadableStream`, an array. Bytes in UTF-8 or Windows-1252, or text.
 * @yields Each record. Findings after the last record are not yielded: pass `onFinding` for all of them.
 * @throws {ArgumentTypeError} The argument is not iterable.
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
  let scanner: ReturnType<typeof createScanner> | undefined;
  let beginning = "";
  const encoder = new TextEncoder();
  for await (const piece of stream) {
    const text = toByteText(typeof piece === "string" ? encoder.encode(piece) : piece);
    if (scanner === undefined) {
      beginning += text;
      if (beginning.length < DETECTION) continue;
      scanner = begin(beginning, sink);
    } else scanner.push(text);
    yield* ready;
    ready = [];
  }
  scanner ??= begin(beginning, sink);
  scanner.end();
  yield* ready;
}

/** Findings that one record keeps: a hostile file has millions. */
const MAX_FINDINGS = 100;
/** Bytes after which the format is known. */
const DETECTION = 64;

function begin(text: string, sink: RecordSink): ReturnType<typeof createScanner> {
  const scanner = createScanner(text, sink, { lengths: "declared" });
  if (text.startsWith(BOM))
    sink.finding({ level: "warning", rule: "utf8-bom", message: "the file begins with a byte order mark" });
  scanner.push(text.startsWith(BOM) ? text.slice(BOM.length) : text);
  return scanner;
}

function requireIterable(stream: unknown): void {
  const isIterable =
    typeof stream === "object" &&
    stream !== null &&
    (Symbol.asyncIterator in stream || Symbol.iterator in stream);
  if (!isIterable)
    throw new ArgumentTypeError({
      argument: "stream",
      value: stream,
      expected: "an iterable of bytes or text",
    });
}
