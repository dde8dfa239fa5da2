/** The file of a log. */
import { ArgumentTypeError, ValueError } from "../errors.js";
import { writeAdi } from "./adif/adi-writer.js";
import { writeAdx } from "./adif/adx-writer.js";
import { fromByteText } from "./adif/byte-text.js";
import type { Log, LogField } from "./log.js";
import { writeCsv, writeJson } from "./json-csv-writer.js";

/** The formats that are written. */
export type OutputFormat = "adi" | "adx" | "json" | "csv";

/** How a log is written. */
export interface WriteLogOptions {
  /** The log's own when left out; "adi" for Cabrillo, which has no place for more columns. */
  readonly format?: OutputFormat;
}

const WRITERS: Readonly<Record<OutputFormat, (log: Log) => Uint8Array>> = {
  adi: (log) => joined(writeAdi(withHeader(log)), fromByteText),
  adx: (log) => joined(writeAdx(withHeader(log)), utf8),
  json: (log) => joined(writeJson(log), utf8),
  csv: (log) => joined(writeCsv(log), utf8),
};

/**
 * The file of a log.
 *
 * What was read from an .adi file is written to one byte by byte as it was, and what was read from .adx likewise; fields
 * that are new, and logs that change their format, get a plain form. All text is in UTF-8 then. `.adx` and CSV have no
 * place for the free text of a header; characters that XML can't have become U+FFFD.
 *
 * @throws {ValueError} There is no such format.
 * @throws {ArgumentTypeError} What was passed is no log.
 * @example
 * const log = await readLog("<CALL:5>DH1TW <BAND:3>20m <EOR>");
 * new TextDecoder().decode(writeLog(log, { format: "csv" })); // => "CALL,BAND\r\nDH1TW,20m\r\n"
 */
export function writeLog(log: Log, { format = formatOf(log) }: WriteLogOptions = {}): Uint8Array {
  requireLog(log);
  if (Object.hasOwn(WRITERS, format)) return WRITERS[format](log);
  throw new ValueError({ argument: "format", value: format, expected: Object.keys(WRITERS).join(", ") });
}

/** The format in which a log is written when nobody says which. */
export function formatOf(log: Log): OutputFormat {
  return requireLog(log).format === "adx" ? "adx" : "adi";
}

/** @throws {ArgumentTypeError} It is no log. */
export function requireLog(log: Log): Log {
  if (Array.isArray(log?.qsos)) return log;
  throw new ArgumentTypeError({ argument: "log", value: log, expected: "a log, as readLog gives it" });
}

/** The log with the fields that every header needs. */
function withHeader(log: Log): Log {
  const { fields } = log.header;
  const missing = REQUIRED.filter(({ name }) => !fields.some((field) => field.name === name));
  return { ...log, header: { ...log.header, fields: [...missing, ...fields] } };
}

const REQUIRED: readonly LogField[] = [
  { name: "ADIF_VER", value: "3.1.6" },
  { name: "PROGRAMID", value: "hamkit" },
];

/** So many characters are encoded at once; all of them at once would take the memory of the file another two times. */
const CHUNK = 1 << 18;

/** The bytes of texts, one behind the other. */
function joined(texts: Iterable<string>, encode: (text: string) => Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  let waiting = "";
  for (const text of texts) {
    waiting += text;
    if (waiting.length < CHUNK) continue;
    chunks.push(encode(waiting));
    waiting = "";
  }
  chunks.push(encode(waiting));
  return concatenate(chunks);
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let end = 0;
  for (const chunk of chunks) {
    all.set(chunk, end);
    end += chunk.length;
  }
  return all;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
