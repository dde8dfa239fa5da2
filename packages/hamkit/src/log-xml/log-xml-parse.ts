/** Reads log XML of any layout with an XML parser. */
import { SaxesParser } from "saxes";

import { LogXmlError } from "../errors.js";
import { isTableKey } from "../lookup/table.js";
import { showValue } from "../show-value.js";
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

/** The root has depth 1. */
const DEPTH = { root: 1, section: 2, entry: 3, element: 4 } as const;

/**
 * Passes the entries of a file to a sink. Unknown sections and elements are skipped.
 *
 * @param file Name of the file in messages.
 * @throws {LogXmlError} The text is not XML, has a document type declaration, or another root.
 */
export function parseLogXml(text: string, file: string, sink: LogXmlSink): void {
  const parser = new SaxesParser();
  const fail = (expected: string, found: string, cause?: unknown): never => {
    throw new LogXmlError({ file, line: parser.line, expected, found }, { cause });
  };
  const reader = createReader(sink);
  parser.on("doctype", () => fail("no document type declaration", "one"));
  parser.on("opentag", ({ name, attributes }) => {
    if (reader.depth() === 0 && name !== "clublog")
      fail("a clublog element", `an element ${showValue(name)}`);
    reader.open(name, attributes);
  });
  parser.on("text", reader.text);
  parser.on("cdata", reader.text);
  parser.on("closetag", reader.close);
  try {
    parser.write(text).close();
  } catch (cause) {
    if (cause instanceof LogXmlError) throw cause;
    // The parser's message begins with line and column.
    fail("XML", String(cause instanceof Error ? cause.message : cause).replace(/^\d+:\d+: /, ""), cause);
  }
}

/** Makes entries of parser events. */
function createReader(sink: LogXmlSink) {
  let depth = 0;
  let section: SectionName | undefined;
  let record: string | undefined;
  let fields: Record<string, string> | undefined;
  let element = "";

  return {
    depth: () => depth,
    open(this: void, name: string, attributes: Readonly<Record<string, string>>): void {
      depth++;
      if (depth === DEPTH.root) sink.date(attributes["date"] ?? "");
      else if (depth === DEPTH.section) section = isSection(name) ? name : undefined;
      else if (depth === DEPTH.entry && section && name === SECTIONS[section]) {
        record = attributes["record"];
        fields = {};
      } else if (depth === DEPTH.element && fields) {
        element = name;
        fields[element] = "";
      }
    },
    text(this: void, part: string): void {
      if (fields && depth === DEPTH.element) fields[element] = (fields[element] ?? "") + part;
    },
    close(this: void): void {
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
