/** The records of a log in any format, for commands that read it contact by contact. */
import { readAdif, type AdifFileFinding, type StreamedRecord } from "../../adif/parse-adif.js";
import { LogError } from "../../errors.js";
import { toByteText } from "../../logs/adif-text/byte-text.js";
import { isOtherLog, MAX_LOG_BYTES, readLog } from "../../logs/read-log.js";
import { piecesOf } from "./log-files.js";

export interface ReadRecordsOptions {
  /** Called with damage, and with what is not understood of a log in another format than ADIF. */
  readonly onFinding?: (finding: AdifFileFinding) => void;
  /** The number of bytes to read of a file that another program extends; default all. */
  readonly end?: number;
}

/** A record of a log, and the header of a log in ADIF. */
export type LogRecord = Pick<StreamedRecord, "record" | "header" | "index">;

/** Bytes that decide about the format. */
const LOOKED_AT = 64 * 1024;

/**
 * Reads a log record by record: one in ADIF piece by piece, in bounded memory, and one in Cabrillo, EDI or FLE as a whole.
 *
 * @throws {IOError} It can't be read.
 * @throws {LogError} It is an archive or another file that is not text, or one in another format than ADIF is too large.
 */
export async function* readRecords(
  path: string,
  { onFinding = () => {}, end }: ReadRecordsOptions = {},
): AsyncGenerator<LogRecord, void, undefined> {
  const pieces = piecesOf(path, end);
  const opening: Uint8Array[] = [];
  for (let length = 0; length < LOOKED_AT;) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    opening.push(value);
    length += value.length;
  }
  const log = rejoined(opening, pieces);
  if (isOtherLog(toByteText(Buffer.concat(opening)))) yield* otherRecords(path, log, onFinding);
  else yield* readAdif(log, { onFinding });
}

async function* rejoined(
  opening: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* opening;
  yield* rest;
}

const NO_HEADER = { text: "", fields: {} };

async function* otherRecords(
  path: string,
  log: AsyncIterable<Uint8Array>,
  onFinding: (finding: AdifFileFinding) => void,
): AsyncGenerator<LogRecord> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of log) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_LOG_BYTES)
      throw new LogError({ file: path, expected: "a log of 256 MB or less", found: "a larger one" });
  }
  const { qsos, problems, format } = await readLog(Buffer.concat(pieces), { name: path });
  for (const { line, kind, message } of problems)
    onFinding({ level: "warning", rule: `${format}-${kind}`, message: `line ${line}: ${message}`, line });
  for (const [index, { fields }] of qsos.entries()) {
    const record = Object.fromEntries(fields.map(({ name, value }) => [name, value]));
    yield { record, header: NO_HEADER, index };
  }
}
