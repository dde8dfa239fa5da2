/**
 * Scans files in ADIF, whole or piece by piece: ADI, ADX and JSON. All readers of ADIF are sinks of this scanner, so that they read
 * the same and report the same.
 */
import { createAdiScanner } from "./adi-scanner.js";
import type { AdifSink, Scanner, ScanOptions } from "./adif-sink.js";
import type { createAdxScanner } from "./adx-scanner.js";
import { BOM, decodeUtf8, decodeWindows1252, encodeUtf8, fromByteText, isAscii } from "./byte-text.js";
import { createJsonScanner } from "./json-scanner.js";

/** How a file is opened. */
export interface OpenOptions extends ScanOptions {
  /** The file was decoded before, so that the encoding that it declares is not that of its bytes. */
  readonly isText: boolean;
  /** The scanner of ADX, which takes an XML parser. */
  readonly createAdxScanner: typeof createAdxScanner | undefined;
}

/** A scanner for the encoding and the format that a file begins with. The beginning itself has to be pushed too. */
export function openScanner(beginning: string, sink: AdifSink, options: OpenOptions): Scanner {
  const encoding = utf16Of(beginning);
  if (encoding !== undefined) return utf16Scanner(encoding, beginning, sink, options);
  if (isAdx(beginning)) return adxScanner(beginning, sink, options);
  if (beginning.startsWith(BOM)) {
    const message = "the file begins with a byte order mark, which ADIF does not know";
    sink.finding({ level: "warning", rule: "utf8-bom", message }, "file", 0);
  }
  if (isJson(beginning.slice(0, 1000))) return jsonScanner(sink);
  sink.begin?.("adi");
  return createAdiScanner(sink, options);
}

function utf16Scanner(encoding: string, beginning: string, sink: AdifSink, options: OpenOptions): Scanner {
  const message = `the file is in ${encoding}; ADIF is ASCII`;
  sink.finding({ level: "warning", rule: "utf16-file", message }, "file", 0);
  const decoder = new TextDecoder(encoding);
  const toUtf8 = (text: string) => encodeUtf8(decoder.decode(fromByteText(text), { stream: true }));
  const opening = encodeUtf8(new TextDecoder(encoding).decode(fromByteText(beginning.slice(0, 4096))));
  const scanner = openScanner(opening, sink, { ...options, isText: true });
  return decoding(scanner, { push: toUtf8, end: () => encodeUtf8(decoder.decode()) });
}

function jsonScanner(sink: AdifSink): Scanner {
  sink.begin?.("json");
  const decoder = createLogDecoder("utf-8", (line) => {
    const message = "bytes that are not UTF-8 are read as Windows-1252";
    sink.finding({ level: "warning", rule: "latin1-bytes", message, line }, "file", 0);
  });
  return decoding(createJsonScanner(sink), decoder);
}

function adxScanner(beginning: string, sink: AdifSink, options: OpenOptions): Scanner {
  const { name, encoding } = declaredEncoding(beginning, options.isText);
  const report = (message: string, line: number) =>
    sink.finding({ level: "error", rule: "adx-encoding", message, line }, "file", 0);
  if (encoding === undefined || options.createAdxScanner === undefined) {
    const message = `the encoding ${name} is not supported; expected UTF-8, UTF-16, ISO-8859-1 or Windows-1252`;
    sink.failed?.({ rule: "adx-encoding", message: name, line: 1, offset: 0 });
    report(message, 1);
    return { push() {}, end() {} };
  }
  if (encoding === "utf-16") report(`the document declares ${name}, but its bytes are not UTF-16`, 1);
  const decoder = createLogDecoder(encoding, (line) =>
    report(`bytes that are not ${name} are read as Windows-1252`, line),
  );
  const { createAdxScanner: create, keeper } = options;
  if (keeper === undefined) {
    sink.begin?.("adx");
    return decoding(create(sink), decoder);
  }
  const scanner: Scanner = {
    push() {},
    end(text = "") {
      sink.begin?.("adx", text);
      create(sink, { text, keeper }).end(text);
    },
  };
  return decoding(scanner, decoder);
}

/** A scanner of byte texts for one of decoded text. */
function decoding(scanner: Scanner, decoder: ReturnType<typeof createLogDecoder>): Scanner {
  return {
    push: (text) => scanner.push(decoder.push(text)),
    end: (text = "") => scanner.end(decoder.push(text) + decoder.end()),
  };
}

/** Whether a byte text is XML, and so ADX. */
export function isAdx(text: string): boolean {
  return /^(?:\u00EF\u00BB\u00BF)?\s*<(?:\?xml|!--|!DOCTYPE\s+(?!html)|ADX[\s>/])/i.test(text.slice(0, 1000));
}

/** Whether a text begins like a log in JSON: with an object that has a key, or an array of objects. */
export function isJson(text: string): boolean {
  return /^(?:\uFEFF|\u00EF\u00BB\u00BF)?\s*(?:\{\s*"|\[\s*\{\s*")/.test(text);
}

/** The encoding by a byte order mark of two bytes, with which "Unicode" texts of Windows begin. */
export function utf16Of(text: string): string | undefined {
  if (text.startsWith("\u00FF\u00FE")) return "utf-16le";
  return text.startsWith("\u00FE\u00FF") ? "utf-16be" : undefined;
}

/** The encoding that an XML declaration names. */
interface DeclaredEncoding {
  /** As written; "UTF-8" without a declaration. */
  readonly name: string;
  /** `undefined` for one that is not supported. */
  readonly encoding: "utf-8" | "utf-16" | "windows-1252" | undefined;
}

/** The encoding of a document by its beginning. A text that was decoded before is in UTF-8, whatever it declares. */
function declaredEncoding(beginning: string, isText: boolean): DeclaredEncoding {
  const [, name = "UTF-8"] = /^[^<]*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]*)/i.exec(beginning) ?? [];
  if (/^(?:utf-?8|us-ascii|ascii)$/i.test(name)) return { name, encoding: "utf-8" };
  // UTF-16 is converted to UTF-8 by its byte order mark.
  if (/^utf-?16(?:le|be)?$/i.test(name)) return { name, encoding: isText ? "utf-8" : "utf-16" };
  if (!/^(?:iso[-_]?8859-1|latin-?1|windows-1252|cp-?1252)$/i.test(name))
    return { name, encoding: undefined };
  return { name, encoding: isText ? "utf-8" : "windows-1252" };
}

/**
 * A decoder of byte texts. Bytes that are not UTF-8 are read as Windows-1252, each sequence by itself, so that the result does
 * not depend on the pieces.
 *
 * @param onInvalid Called once, with the line of the first such bytes, from 1.
 */
function createLogDecoder(
  encoding: DeclaredEncoding["encoding"],
  onInvalid: (line: number) => void,
): { push: (text: string) => string; end: () => string } {
  let rest = "";
  let line = 1;
  let isValid = true;

  function decoded(text: string): string {
    if (isAscii(text)) return counted(text);
    if (encoding === "windows-1252") return decodeWindows1252(text);
    const whole = decodeUtf8(text);
    if (whole !== undefined) return counted(whole);
    let first = -1;
    const mixed = text.replaceAll(SEQUENCES, (sequence, index: number) => {
      const character = sequence.length > 1 ? decodeUtf8(sequence) : undefined;
      if (character === undefined && first < 0) first = index;
      return character ?? decodeWindows1252(sequence);
    });
    if (isValid && first >= 0) {
      isValid = false;
      onInvalid(line + linesIn(text.slice(0, first)));
    }
    return mixed;
  }

  /** Lines are counted up to the first bytes that are not UTF-8. */
  function counted(text: string): string {
    if (isValid) line += linesIn(text);
    return text;
  }

  return {
    push(text) {
      const joined = rest + text;
      const cut = wholeCharacters(joined);
      rest = joined.slice(cut);
      return decoded(joined.slice(0, cut));
    },
    end() {
      const text = rest;
      rest = "";
      return decoded(text);
    },
  };
}

/** What may be characters of UTF-8 beyond ASCII, and other bytes beyond ASCII. */
const SEQUENCES =
  /[\u00C2-\u00DF][\u0080-\u00BF]|[\u00E0-\u00EF][\u0080-\u00BF]{2}|[\u00F0-\u00F4][\u0080-\u00BF]{3}|[\u0080-\u00FF]/g;

function linesIn(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}

/** Index before a character of UTF-8 at the end of a byte text that the end of the piece may have cut. */
function wholeCharacters(text: string): number {
  for (let index = text.length - 1; index >= 0 && index >= text.length - 4; index--) {
    const code = text.charCodeAt(index);
    if (code < 128) break;
    if (code >= 0xc0) return index;
  }
  return text.length;
}
