/** Reads ADIF by the letter: whole files, and streams record by record. */
import { ArgumentTypeError } from "../errors.js";
import { encodeUtf8, toByteText } from "../logs/adif/byte-text.js";
import { beginScan, scanAdif, type Scanner } from "./scan-adif.js";
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
  let scanner: Scanner | undefined;
  let beginning = "";
  const read = createPieceReader();
  for await (const piece of stream) {
    const text = read(piece);
    if (scanner === undefined) {
      beginning += text;
      if (beginning.length < DETECTION) continue;
      scanner = beginScan(beginning, sink, { lengths: "declared" });
    } else scanner.push(text);
    yield* ready;
    ready = [];
  }
  scanner ??= beginScan(beginning, sink, { lengths: "declared" });
  scanner.end();
  yield* ready;
}

/** Findings that one record keeps: a hostile file has millions. */
const MAX_FINDINGS = 100;
/** Bytes after which the format is known. */
const DETECTION = 64;

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
