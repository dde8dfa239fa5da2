/** Log XML as a source: countries, exceptions, invalid operations and zones of callsigns, each with its time. */
import { ArgumentTypeError, LogXmlError } from "../errors.js";
import { decodeText } from "../text/file-text.js";
import { parseLogXml } from "./log-xml-parse.js";
import { scanLogXml } from "./log-xml-scan.js";
import { createLogXmlTable, type LogXml, type LogXmlTableOptions } from "./log-xml-table.js";

export type { LogXml } from "./log-xml-table.js";

/** What a file is called, and who is told of its faults. */
export interface LogXmlOptions {
  /** What the file is called in messages; "text" when left out. */
  readonly name?: string;
  /** Is told of each entry that is left out because it can't be read. */
  readonly warn?: (message: string) => void;
}

/**
 * A table made of the content of a log XML file (Club Log's cty.xml, unpacked).
 *
 * A single entry that can't be read is left out, told to `warn` and counted in `skipped`. Where several entries of a call
 * hold at the same moment the one with the lowest record number counts.
 *
 * @param content Text, or its bytes in UTF-8.
 * @throws {LogXmlError} The content is no log XML, or not a whole one; with file name, line and what was expected.
 * @throws {ArgumentTypeError} The content is neither text nor bytes.
 * @example
 * const table = createLogXml(
 *   `<clublog date='2025-06-01T00:00:00+00:00'><prefixes><prefix record='1'><call>OK</call>
 *   <entity>CZECHOSLOVAKIA</entity><adif>218</adif><cqz>15</cqz><cont>EU</cont><long>14.5</long><lat>50</lat>
 *   <end>1992-12-31T23:59:59+00:00</end></prefix></prefixes></clublog>`,
 * );
 * table.prefix("OK", Date.UTC(1980, 0, 1))?.country; // => "CZECHOSLOVAKIA"
 */
export function createLogXml(
  content: string | Uint8Array,
  { name = "text", warn }: LogXmlOptions = {},
): LogXml {
  const text = decodeText(content);
  if (text === undefined)
    throw new ArgumentTypeError({ argument: name, value: content, expected: "text or bytes" });
  const table = readTable(text, { file: name, warn });
  if (table.size > 0 && table.size >= table.skipped) return table;
  const found = `${table.skipped} unreadable entries and ${table.size} calls and prefixes`;
  throw new LogXmlError({ file: name, expected: "calls and prefixes", found });
}

/** Warnings wait until it is known which way the text can be read. */
function readTable(text: string, options: LogXmlTableOptions): LogXml {
  const { file, warn } = options;
  const warnings: string[] = [];
  const quick = createLogXmlTable({ file, warn: (message) => warnings.push(message) });
  if (!scanLogXml(text, quick.sink)) {
    const thorough = createLogXmlTable(options);
    parseLogXml(text, file, thorough.sink);
    return thorough.finish();
  }
  const table = quick.finish();
  for (const message of warnings) warn?.(message);
  return table;
}
