/** Detects the format of a log and reads it. */
import { ArgumentTypeError, LogError } from "../errors.js";
import { showValue } from "../show-value.js";
import { readAdi } from "./adif/adi-reader.js";
import { createTagFinder } from "./adif/adi-tag.js";
import { decode, decodeWindows1252, toByteText } from "./adif/byte-text.js";
import { readCabrillo } from "./cabrillo/cabrillo-reader.js";
import { readEdi } from "./edi/edi-reader.js";
import { readJson } from "./json/json-reader.js";
import { isJson } from "./json/json-scanner.js";
import type { Log } from "./log.js";

/** Options of `readLog`. */
export interface ReadLogOptions {
  /** The file's name, for messages; default "the log". */
  readonly name?: string;
}

/** Maximum file size: a log takes up to ten times its size in memory. */
export const MAX_LOG_BYTES = 256 * 1024 * 1024;

/**
 * Reads a log: ADIF as .adi, .adx or the JSON of `writeLog`, Cabrillo or EDI (REG1TEST). The format is detected by the content.
 *
 * Damaged parts are reported in the log's `problems`; the rest is read. Lengths of .adi fields count bytes, or characters
 * if the program that wrote the log counted those. Text is UTF-8 or Windows-1252.
 *
 * @param data The content of the file.
 * @throws {LogError} The content is not a log, is .adx that is not well-formed or has a DOCTYPE, or exceeds 256 MB.
 * @throws {ArgumentTypeError} The argument is neither bytes nor a string.
 * @example
 * const log = await readLog("<CALL:5>DH1TW<QSO_DATE:8>20240101<TIME_ON:4>1200<EOR>");
 * log.qsos.length; // => 1
 * log.qsos[0]?.fields[0]?.value; // => "DH1TW"
 */
export async function readLog(data: Uint8Array | string, options: ReadLogOptions = {}): Promise<Log> {
  const { name = "the log" } = options;
  const bytes = bytesOf(data);
  if (bytes.length > MAX_LOG_BYTES) {
    const found = `one of ${Math.round(bytes.length / 1024 / 1024)} MB`;
    throw new LogError({ file: name, expected: "a log of 256 MB or less", found });
  }
  const text = toByteText(bytes);
  if (/^(?:\u00EF\u00BB\u00BF)?\s*<(?:\?xml|!--|!DOCTYPE|ADX[\s>/])/i.test(text)) {
    const { readAdx } = await import("./adif/adx-reader.js");
    return readAdx(decodeXml(text, name), name);
  }
  const readContest = contestReader(text);
  if (readContest !== undefined) return readContest(decode(text));
  if (isJson(text)) return readJson(decode(text));
  if (createTagFinder(text)(0) !== undefined) return readAdi(text);
  throw new LogError({ file: name, expected: "a log in ADIF, Cabrillo or EDI", found: foundIn(text) });
}

/** The reader of a contest format. The header of an .adi file that was converted from one begins like it. */
function contestReader(text: string): ((text: string) => Log) | undefined {
  const [, cabrillo, edi] =
    /^(?:\u00EF\u00BB\u00BF)?\s*(?:((?:START-OF-LOG|(?:X-)?QSO):)|(\[REG1TEST))/i.exec(text) ?? [];
  if ((cabrillo ?? edi) === undefined || /<EO[HR]>/i.test(text)) return undefined;
  return cabrillo === undefined ? readEdi : readCabrillo;
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
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const encoding = utf16Of(bytes);
  return encoding === undefined ? bytes : new TextEncoder().encode(new TextDecoder(encoding).decode(bytes));
}

/** The encoding by a byte order mark of two bytes, with which "Unicode" texts of Windows begin. */
function utf16Of([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** Decodes XML. The declaration becomes UTF-8, the encoding in which the log is written later. */
function decodeXml(text: string, file: string): string {
  const [declaration = "", start = "", encoding = "utf-8"] =
    /^([^<]*<\?xml[^>]*?encoding=["'])([^"'>]*)/i.exec(text) ?? [];
  if (/^(?:utf-?8|us-ascii)$/i.test(encoding)) return decode(text);
  const rest = text.slice(declaration.length);
  if (/^utf-?16$/i.test(encoding)) return `${start}UTF-8${decode(rest)}`; // already converted to UTF-8
  if (/^(?:iso-8859-1|windows-1252)$/i.test(encoding)) return `${start}UTF-8${decodeWindows1252(rest)}`;
  throw new LogError({ file, expected: "text in UTF-8", found: encoding });
}

/** The beginning of a file that is not a log, for the error. */
function foundIn(text: string): string {
  return text.trim() === "" ? "nothing" : showValue(decode(text.slice(0, 200)).trim());
}
