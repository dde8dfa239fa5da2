/** The log in a file of any of the formats. */
import { ArgumentTypeError, LogError } from "../errors.js";
import { showValue } from "../show-value.js";
import { readAdi } from "./adif/adi-reader.js";
import { createTagFinder } from "./adif/adi-tag.js";
import { decode, decodeWindows1252, toByteText } from "./adif/byte-text.js";
import { readCabrillo } from "./cabrillo/cabrillo-reader.js";
import type { Log } from "./log.js";

/** How a log is read. */
export interface ReadLogOptions {
  /** The file's name, for messages; "the log" when left out. */
  readonly name?: string;
}

/** Larger files would not fit into the memory that programs usually get: a log takes up to ten times its size. */
export const MAX_LOG_BYTES = 256 * 1024 * 1024;

/**
 * The log in a file: ADIF as .adi or .adx, or Cabrillo. Which one it is shows in the content.
 *
 * What is damaged does not keep the rest from being read; it is told in the log's `problems`. Lengths of .adi fields count
 * bytes, or characters where that is what the program meant that wrote the log. Text is UTF-8 or Windows-1252.
 *
 * @param data The content of the file.
 * @throws {LogError} It is no log, is .adx that is no well-formed XML or has a document type, or has more than 256 MB.
 * @throws {ArgumentTypeError} What was passed is neither bytes nor a string.
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
  if (/^(?:\u00EF\u00BB\u00BF)?\s*(?:START-OF-LOG|(?:X-)?QSO):/i.test(text))
    return readCabrillo(decode(text));
  if (createTagFinder(text)(0) !== undefined) return readAdi(text);
  throw new LogError({ file: name, expected: "a log in ADIF or Cabrillo", found: foundIn(text) });
}

function bytesOf(data: unknown): Uint8Array {
  if (typeof data === "string") return new TextEncoder().encode(data);
  // Not instanceof: bytes of another window have another Uint8Array.
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

/** The encoding that a byte order mark of two bytes tells; "Unicode" texts of Windows begin with one. */
function utf16Of([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/** XML as text. What is written later is UTF-8, so its declaration has to say that. */
function decodeXml(text: string, file: string): string {
  const [declaration = "", start = "", encoding = "utf-8"] =
    /^([^<]*<\?xml[^>]*?encoding=["'])([^"'>]*)/i.exec(text) ?? [];
  if (/^(?:utf-?8|us-ascii)$/i.test(encoding)) return decode(text);
  const rest = text.slice(declaration.length);
  if (/^utf-?16$/i.test(encoding)) return `${start}UTF-8${decode(rest)}`; // its bytes are UTF-8 by now
  if (/^(?:iso-8859-1|windows-1252)$/i.test(encoding)) return `${start}UTF-8${decodeWindows1252(rest)}`;
  throw new LogError({ file, expected: "text in UTF-8", found: encoding });
}

/** What there is instead of a log: its beginning. */
function foundIn(text: string): string {
  return text.trim() === "" ? "nothing" : showValue(decode(text.slice(0, 200)).trim());
}
