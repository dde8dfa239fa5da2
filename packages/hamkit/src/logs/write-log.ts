/** Writes a log in one of the output formats. */
import { ArgumentTypeError, ValueError } from "../errors.js";
import { writeAdi } from "./adif/adi-writer.js";
import { writeAdx } from "./adif/adx-writer.js";
import { fromByteText } from "./adif/byte-text.js";
import { writeCabrillo } from "./cabrillo/cabrillo-writer.js";
import { writeEdi } from "./edi/edi-writer.js";
import { writeCsv, writeJson } from "./json/json-csv-writer.js";
import type { Log, LogField } from "./log.js";

/** The output formats. */
export type OutputFormat = "adi" | "adx" | "json" | "csv" | "cabrillo" | "edi";

/** Options of `writeLog`. */
export interface WriteLogOptions {
  /** Default: the log's own format; "adi" for Cabrillo and EDI, which have no place for added fields. */
  readonly format?: OutputFormat | undefined;
  /**
   * Lines for the header of a Cabrillo or EDI file by their tags, such as `{ "CATEGORY-BAND": "ALL" }` or
   * `{ PSect: "SINGLE" }`. They replace those of the log.
   */
  readonly header?: Readonly<Record<string, string>> | undefined;
  /**
   * Cabrillo: the columns of the exchanges, as field names with `CALL` between the sent and the received ones; `|` separates
   * alternatives, `GRIDSQUARE:4` is cut to four characters, `'DX'` is literal. Default: those of the contest.
   */
  readonly columns?: string | undefined;
  /** EDI: the band by its ADIF name, such as `2m`; QSOs on others are left out. Default: the only band of the log. */
  readonly band?: string | undefined;
}

const WRITERS: Readonly<Record<OutputFormat, (log: Log, options: WriteLogOptions) => Uint8Array>> = {
  adi: (log) => joined(writeAdi(withHeader(log)), fromByteText),
  adx: (log) => joined(writeAdx(withHeader(log)), utf8),
  json: (log) => joined(writeJson(log), utf8),
  csv: (log) => joined(writeCsv(log), utf8),
  cabrillo: (log, options) => joined(writeCabrillo(log, options), utf8),
  edi: (log, options) => joined(writeEdi(log, options), utf8),
};

/**
 * Serializes a log.
 *
 * A log that was read from .adi, .adx, Cabrillo or EDI and is written in the same format keeps every unchanged byte. New
 * fields, and logs that change their format, are written in a canonical form in UTF-8. `.adx` and CSV can't hold the free text
 * of a header; characters that XML does not allow become U+FFFD. Cabrillo and EDI hold the fields of a contest only; points of
 * a new EDI record are those of IARU Region 1, one for each kilometer begun.
 *
 * @throws {ValueError} The format is not one of `adi`, `adx`, `json`, `csv`, `cabrillo`, `edi`, or another option is invalid.
 * @throws {LogError} Cabrillo, EDI: a QSO lacks a value, the columns of the contest are not known, or the log has QSOs of several
 *   stations, contests or, for EDI, locators or bands.
 * @throws {ArgumentTypeError} The argument is not a log.
 * @example
 * const log = await readLog("<CALL:5>DH1TW <BAND:3>20m <EOR>");
 * new TextDecoder().decode(writeLog(log, { format: "csv" })); // => "CALL,BAND\r\nDH1TW,20m\r\n"
 */
export function writeLog(log: Log, options: WriteLogOptions = {}): Uint8Array {
  requireLog(log);
  const { format = formatOf(log) } = options;
  if (Object.hasOwn(WRITERS, format)) return WRITERS[format](log, options);
  throw new ValueError({ argument: "format", value: format, expected: Object.keys(WRITERS).join(", ") });
}

/** The default output format of a log. */
export function formatOf(log: Log): OutputFormat {
  const { format } = requireLog(log);
  return format === "adx" || format === "json" ? format : "adi";
}

/** @throws {ArgumentTypeError} The argument is not a log. */
export function requireLog(log: Log): Log {
  if (Array.isArray(log?.qsos)) return log;
  throw new ArgumentTypeError({ argument: "log", value: log, expected: "a log, as readLog returns it" });
}

/** The log with the required header fields. */
function withHeader(log: Log): Log {
  const { fields } = log.header;
  const missing = REQUIRED.filter(({ name }) => !fields.some((field) => field.name === name));
  return { ...log, header: { ...log.header, fields: [...missing, ...fields] } };
}

const REQUIRED: readonly LogField[] = [
  { name: "ADIF_VER", value: "3.1.7" },
  { name: "PROGRAMID", value: "hamkit" },
];

/** Characters that are encoded at once; encoding the whole file at once would take twice its size in memory. */
const CHUNK = 1 << 18;

/** The bytes of the concatenated texts. */
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
