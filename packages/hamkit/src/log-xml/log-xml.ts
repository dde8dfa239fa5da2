/** Makes a table of log XML: prefixes, call exceptions, invalid operations and zone exceptions, each with its period. */
import { ArgumentTypeError, LogXmlError } from "../errors.js";
import { decodeText } from "../text/file-text.js";
import { scanLogXml } from "./log-xml-scan.js";
import { createLogXmlTable, type LogXml, type LogXmlTableOptions } from "./log-xml-table.js";
import { isTableKey } from "../lookup/table.js";
import { showValue } from "../show-value.js";
import { parseXml, XmlFault, type XmlHandlers, type XmlTag } from "../text/xml-parser.js";
import {
  EntryFault,
  FACT_NAMES,
  periodOf,
  SECTIONS,
  type FactName,
  type LogXmlEntry,
  type LogXmlSink,
  type SectionName,
} from "./log-xml-entry.js";

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

/** The root has depth 1. */
const DEPTH = { root: 1, section: 2, entry: 3, element: 4 } as const;

/**
 * Passes the entries of a file to a sink. Unknown sections and elements are skipped.
 *
 * @param file Name of the file in messages.
 * @throws {LogXmlError} The text is not XML, has a document type declaration, or another root.
 */
export function parseLogXml(text: string, file: string, sink: LogXmlSink): void {
  try {
    parseXml(text, createReader(sink, file));
  } catch (cause) {
    if (!(cause instanceof XmlFault)) throw cause;
    const { kind, line, message } = cause;
    throw kind === "doctype"
      ? new LogXmlError({ file, line, expected: "no document type declaration", found: "one" })
      : new LogXmlError({ file, line, expected: "XML", found: message }, { cause });
  }
}

/** Makes entries of the parts of a document. */
function createReader(sink: LogXmlSink, file: string): XmlHandlers {
  let depth = 0;
  let section: SectionName | undefined;
  let record: string | undefined;
  let fields: Record<string, string> | undefined;
  let element = "";

  return {
    open({ name, attributes, line }: XmlTag): void {
      depth++;
      if (depth === DEPTH.root) {
        if (name !== "clublog")
          throw new LogXmlError({
            file,
            line,
            expected: "a clublog element",
            found: `an element ${showValue(name)}`,
          });
        sink.date(attributes["date"]?.value ?? "");
      } else if (depth === DEPTH.section) section = isSection(name) ? name : undefined;
      else if (depth === DEPTH.entry && section && name === SECTIONS[section]) {
        record = attributes["record"]?.value;
        fields = {};
      } else if (depth === DEPTH.element && fields) {
        element = name;
        fields[element] = "";
      }
    },
    text(piece: string): void {
      if (fields && depth === DEPTH.element) fields[element] = (fields[element] ?? "") + piece;
    },
    close(): void {
      if (depth === DEPTH.entry && section && fields) passEntry(section, record, fields, sink);
      if (depth === DEPTH.entry) fields = undefined;
      depth--;
    },
  };
}

function passEntry(
  section: SectionName,
  record: string | undefined,
  fields: Readonly<Record<string, string>>,
  sink: LogXmlSink,
): void {
  let entry: LogXmlEntry;
  try {
    entry = toEntry(section, record, fields);
  } catch (fault) {
    if (!(fault instanceof EntryFault)) throw fault;
    sink.fault(section, fault.message);
    return;
  }
  sink.entry(entry);
}

function toEntry(
  section: SectionName,
  record: string | undefined,
  fields: Readonly<Record<string, string>>,
): LogXmlEntry {
  const facts: Partial<Record<FactName, string>> = {};
  for (const name of FACT_NAMES) {
    const value = fields[name];
    if (value !== undefined) facts[name] = value;
  }
  const { call = "", start, end } = fields;
  return {
    section,
    id: section === "entities" ? undefined : idOf(record),
    call: section === "entities" ? "" : keyOf(call.trim()),
    period: periodOf(start?.trim(), end?.trim()),
    facts,
  };
}

function idOf(record: string | undefined): number {
  if (record !== undefined && /^[0-9]{1,9}$/.test(record)) return Number(record);
  throw new EntryFault(`expected a record number, found ${showValue(record)}`);
}

function keyOf(call: string): string {
  const key = call.toUpperCase();
  if (isTableKey(key)) return key;
  throw new EntryFault(`expected a call or prefix of A-Z, 0-9, / and -, found ${showValue(call)}`);
}

function isSection(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}
