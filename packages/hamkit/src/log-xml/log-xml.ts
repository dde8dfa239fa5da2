/** Makes a table of log XML: prefixes, call exceptions, invalid operations and zone exceptions, each with its period. */
import { ArgumentTypeError, LogXmlError } from "../errors.js";
import { decodeText } from "../text/file-text.js";
import { parseLogXml } from "./log-xml-parse.js";
import { scanLogXml } from "./log-xml-scan.js";
import { createLogXmlTable, type LogXml, type LogXmlTableOptions } from "./log-xml-table.js";

export type { LogXml } from "./log-xml-table.js";

/** Name of a file, and receiver of its warnings. */
export interface LogXmlOptions {
  /** Name of the file in messages; "text" when left out. */
  readonly name?: string;
  /** Receives a warning for each unreadable entry. */
  readonly warn?: (message: string) => void;
}

/**
 * Makes a table of the content of a log XML file (Club Log's cty.xml, unpacked).
 *
 * An unreadable entry is skipped with a warning and counted in `skipped`. Of several entries of a call that are valid at the same
 * moment the one with the lowest record number decides.
 *
 * @param content Text, or its bytes in UTF-8.
 * @throws {LogXmlError} The content is not complete log XML; with file name, line and the expected text.
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

/** Reads by layout, or else by parser. Warnings of the first reading wait until it is complete. */
function readTable(text: string, options: LogXmlTableOptions): LogXml {
  const { file, warn } = options;
  const warnings: string[] = [];
  const scanned = createLogXmlTable({ file, warn: (message) => warnings.push(message) });
  if (!scanLogXml(text, scanned.sink)) {
    const parsed = createLogXmlTable(options);
    parseLogXml(text, file, parsed.sink);
    return parsed.finish();
  }
  const table = scanned.finish();
  for (const message of warnings) warn?.(message);
  return table;
}
