/** Writes a log in one of the output formats. */
import { ArgumentTypeError, ValueError, LogError } from "../errors.js";
import { writeAdi } from "./adif-text/adi-writer.js";
import { writeAdx } from "./adif-text/adx-writer.js";
import { fromByteText } from "./adif-text/byte-text.js";
import { writeCabrillo } from "./cabrillo/cabrillo-writer.js";
import { writeEdi } from "./edi/edi-writer.js";
import type { Log, LogField, LogProblem } from "./log.js";

/** The output formats. */
export type OutputFormat = "adi" | "adx" | "json" | "csv" | "cabrillo" | "edi";

/** Options of `writeLog`. */
export interface WriteLogOptions {
  /** Default: the log's own format; "adi" for Cabrillo, EDI and FLE, which have no place for added fields. */
  readonly format?: OutputFormat | undefined;
  /**
   * Lines for the header of a Cabrillo or EDI file by their tags, such as `{ "CATEGORY-BAND": "ALL" }` or
   * `{ PSect: "SINGLE" }`. They replace those of the log.
   */
  readonly header?: Readonly<Record<string, string>> | undefined;
  /**
   * Cabrillo: the columns of the exchanges, as field names with `CALL` between the sent and the received ones; `|` separates
   * alternatives, `GRIDSQUARE:4` is cut to four characters, `'DX'` is literal. Default: those of the contest, or a guess by the
   * fields of all QSOs.
   */
  readonly columns?: string | undefined;
  /** EDI: the band by its ADIF name, such as `2m`; QSOs on others are left out. Default: the only band of the log. */
  readonly band?: string | undefined;
  /**
   * EDI: called for each line with characters beyond ASCII, which are spelled in ASCII. Cabrillo: called if the columns of the
   * contest are guessed. The line is that of the file written.
   */
  readonly onProblem?: ((problem: LogProblem) => void) | undefined;
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
 * of a header; characters that XML does not allow become U+FFFD. Cabrillo and EDI hold the fields of a contest only. EDI is
 * ASCII: `Köln` becomes `Koeln`, and characters without a spelling become `?`. Points of a new EDI record are those of IARU Region 1, one for each kilometer begun.
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
  const formats = Object.keys(WRITERS).join(", ");
  const expected = (format as string) === "fle" ? `${formats}; FLE is only read` : formats;
  throw new ValueError({ argument: "format", value: format, expected });
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

/**
 * The log as JSON: `header` with `text` and `fields`, `types` with the data type indicators of fields that have one, and
 * `qsos`, one object and one line each. A repeated field of a QSO is named `NAME`, `NAME#2` and so on.
 */
function* writeJson({ header, qsos }: Log): Generator<string> {
  const types = typesOf([header, ...qsos]);
  const typesText = Object.keys(types).length === 0 ? "" : `"types":${JSON.stringify(types)},\n`;
  const headerText = `{"text":${JSON.stringify(header.text)},"fields":${objectText(header.fields)}}`;
  // The header's own types come first too: a reader that goes line by line knows them in time.
  yield `{${typesText}"header":${headerText},\n"qsos":[`;
  for (const [index, { fields }] of qsos.entries()) yield `${index === 0 ? "" : ","}\n${objectText(fields)}`;
  yield "\n]}\n";
}

/** Different fields of a log: ADIF has less than 200, and programs add theirs. Each QSO has a cell for each. */
const MAX_COLUMNS = 2000;

/**
 * The log as CSV (RFC 4180): a header line with all field names in order of first occurrence, and one line per QSO.
 *
 * @throws {LogError} The QSOs have more than 2000 different fields.
 */
function* writeCsv({ qsos }: Log): Generator<string> {
  const columns = new Set<string>();
  for (const { fields } of qsos) for (const [name] of namedFields(fields)) columns.add(name);
  if (columns.size > MAX_COLUMNS) {
    const expected = `at most ${MAX_COLUMNS} different fields for a file in CSV`;
    throw new LogError({ file: "the log", expected, found: `${columns.size}` });
  }
  yield `${Array.from(columns, cell).join()}\r\n`;
  for (const { fields } of qsos) {
    const values = new Map(namedFields(fields));
    yield `${Array.from(columns, (name) => cell(values.get(name) ?? "")).join()}\r\n`;
  }
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function objectText(fields: readonly LogField[]): string {
  return `{${namedFields(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join()}}`;
}

/** Unique names and values: a repeated field is named `NAME#2`, `NAME#3`; a name that ends like these gets `#1`. */
function namedFields(fields: readonly LogField[]): [name: string, value: string][] {
  const times = new Map<string, number>();
  return fields.map(({ name, value }) => {
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return [time > 1 || /#\d+$/.test(name) ? `${name}#${time}` : name, value];
  });
}

/** The type of each field name that has one; of several the first. */
function typesOf(records: Iterable<{ readonly fields: readonly LogField[] }>): Record<string, string> {
  const types = new Map<string, string>();
  for (const { fields } of records)
    for (const { name, type } of fields) if (type !== undefined && !types.has(name)) types.set(name, type);
  return Object.fromEntries(types);
}
