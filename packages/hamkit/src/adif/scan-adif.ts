/** The text of an ADIF file: its encoding and format. */
import { ArgumentTypeError } from "../errors.js";
import { createJsonScanner, isJson } from "../logs/json/json-scanner.js";
import { decode, encodeUtf8, fromByteText, toByteText } from "../logs/adif/byte-text.js";
import { createAdiScanner, type AdiScannerOptions, type AdiSink } from "./adi-scanner.js";
import { createAdxScanner } from "./adx-scanner.js";
import { createRecordCollector, type RecordSink } from "./record-collector.js";

/** Reads a whole file into a sink. */
export function scanAdif(input: string | Uint8Array, sink: RecordSink, options: AdiScannerOptions): void {
  beginScan(toByteText(bytesOf(input)), sink, options).end();
}

/** Accepts byte texts. */
export interface Scanner {
  push(text: string): void;
  end(): void;
}

/** A scanner that has read the beginning of a file, which tells its encoding and its format. */
export function beginScan(beginning: string, sink: RecordSink, options: AdiScannerOptions): Scanner {
  const encoding = utf16Of(beginning);
  if (encoding !== undefined) {
    const message = `the file is in ${encoding}; ADIF is ASCII`;
    sink.finding({ level: "warning", rule: "utf16-file", message });
    const decoder = new TextDecoder(encoding);
    const toUtf8 = (text?: string) =>
      encodeUtf8(
        text === undefined ? decoder.decode() : decoder.decode(fromByteText(text), { stream: true }),
      );
    const scanner = beginScan(toUtf8(beginning), sink, options);
    return {
      push: (text) => scanner.push(toUtf8(text)),
      end() {
        scanner.push(toUtf8());
        scanner.end();
      },
    };
  }
  const scanner = createScanner(beginning, sink, options);
  const hasMark = beginning.startsWith(BOM) && !isAdx(beginning);
  if (hasMark) {
    const message = "the file begins with a byte order mark, which ADIF does not know";
    sink.finding({ level: "warning", rule: "utf8-bom", message });
  }
  scanner.push(hasMark ? beginning.slice(BOM.length) : beginning);
  return scanner;
}

/** A scanner for the format that a text begins with. */
function createScanner(beginning: string, sink: RecordSink, options: AdiScannerOptions): Scanner {
  if (isAdx(beginning)) return decoding(createAdxScanner(createRecordCollector(sink, "adx")));
  if (isJson(beginning.slice(0, 1000))) return decoding(jsonScanner(createRecordCollector(sink, "json")));
  return createAdiScanner(createRecordCollector(sink, "adi"), options);
}

function jsonScanner(sink: AdiSink): Scanner {
  return createJsonScanner({
    ...sink,
    damage: (kind, message, line) =>
      sink.finding({
        level: "error",
        rule: kind === "end" ? "json-cut" : "json-malformed",
        message: `line ${line}: ${message}`,
      }),
  });
}

/** A scanner of byte texts in UTF-8 or Windows-1252 for one of decoded text. */
function decoding(scanner: Scanner): Scanner {
  let rest = "";
  return {
    push(text) {
      const joined = rest + text;
      const cut = wholeCharacters(joined);
      scanner.push(decode(joined.slice(0, cut)));
      rest = joined.slice(cut);
    },
    end() {
      scanner.push(decode(rest));
      scanner.end();
    },
  };
}

/** Whether a byte text is XML, and so ADX. */
function isAdx(text: string): boolean {
  return /^(?:\u00EF\u00BB\u00BF)?\s*<(?:\?xml|!--|!DOCTYPE ADX|ADX[\s>/])/i.test(text.slice(0, 1000));
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

/** The byte order mark of UTF-8 as a byte text. */
const BOM = "\u00EF\u00BB\u00BF";

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

/** By the byte order mark of a byte text. */
function utf16Of(text: string): string | undefined {
  if (text.startsWith("\u00FF\u00FE")) return "utf-16le";
  return text.startsWith("\u00FE\u00FF") ? "utf-16be" : undefined;
}
