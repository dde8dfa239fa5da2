/** The text of an ADIF file: its encoding and format. */
import { ArgumentTypeError } from "../errors.js";
import { decode, isAscii, toByteText } from "../logs/adif/byte-text.js";
import { createAdiScanner, type AdiScannerOptions } from "./adi-scanner.js";
import { createAdxScanner } from "./adx-scanner.js";
import type { AdifFileFinding } from "./adif-finding.js";
import { createRecordCollector, type RecordSink } from "./record-collector.js";

/** Reads a whole file into a sink. */
export function scanAdif(input: string | Uint8Array, sink: RecordSink, options: AdiScannerOptions): void {
  const { text, findings } = textOf(input);
  for (const finding of findings) sink.finding(finding);
  const scanner = createScanner(text, sink, options);
  scanner.push(text);
  scanner.end();
}

/** A scanner of byte texts for the format that a text begins with. */
export function createScanner(
  beginning: string,
  sink: RecordSink,
  options: AdiScannerOptions,
): { push: (text: string) => void; end: () => void } {
  if (!isAdx(beginning)) return createAdiScanner(createRecordCollector(sink, "adi"), options);
  const scanner = createAdxScanner(createRecordCollector(sink, "adx"));
  let rest = "";
  return {
    push(text) {
      // A character of several bytes may be cut by the end of the piece.
      const cut = isAscii(text) ? text.length : lastAscii(text);
      scanner.push(decode(rest + text.slice(0, cut)));
      rest = text.slice(cut);
    },
    end() {
      scanner.push(decode(rest));
      scanner.end();
    },
  };
}

/** Whether a byte text is XML, and so ADX. */
export function isAdx(text: string): boolean {
  return /^(?:\u00EF\u00BB\u00BF)?\s*<(?:\?xml|!--|!DOCTYPE ADX|ADX[\s>/])/i.test(text.slice(0, 1000));
}

function lastAscii(text: string): number {
  let index = text.length;
  while (index > 0 && text.charCodeAt(index - 1) > 127) index--;
  return index;
}

/** The byte text of an input, and findings about its encoding. */
function textOf(input: unknown): { text: string; findings: AdifFileFinding[] } {
  const bytes = bytesOf(input);
  const encoding = utf16Of(bytes);
  if (encoding !== undefined) {
    const text = new TextDecoder(encoding).decode(bytes);
    const message = `the file is in ${encoding}; ADIF is ASCII`;
    return {
      text: toByteText(new TextEncoder().encode(text)),
      findings: [{ level: "warning", rule: "utf16-file", message }],
    };
  }
  const text = toByteText(bytes);
  if (!text.startsWith(BOM) || isAdx(text)) return { text, findings: [] };
  const message = "the file begins with a byte order mark, which ADIF does not know";
  return { text: text.slice(BOM.length), findings: [{ level: "warning", rule: "utf8-bom", message }] };
}

/** The byte order mark of UTF-8 as a byte text. */
export const BOM = "\u00EF\u00BB\u00BF";

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

function utf16Of([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
