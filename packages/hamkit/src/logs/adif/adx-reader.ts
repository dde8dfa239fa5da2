/**
 * Reads .adx files, the XML of ADIF.
 *
 * Names and header fields come out as .adi has them, so that the formats turn into each other. All text of the file comes
 * back in the log, in the `adx` of a field, a QSO or the log itself.
 *
 * @see https://adif.org: ADIF 3.1.6, "ADX File Format".
 */
import { SaxesParser, type SaxesTagPlain } from "saxes";

import { LogError } from "../../errors.js";
import { fieldOfElement, headerFieldOfElement, type AdxElement } from "./adx-element.js";
import type { Log, LogField, Qso } from "../log.js";
import { createPool, type Pool } from "./intern-pool.js";
import { addProblem, noProblems, type ProblemList } from "../problem-list.js";
import { frameLike } from "../qso-frame.js";

/**
 * The log of an .adx file.
 *
 * @param file The file's name, for the error.
 * @throws {LogError} It is not well-formed XML, has a document type, or is no ADX.
 */
export function readAdx(source: string, file: string): Log {
  const parser = new SaxesParser();
  const fail = (expected: string, found: string): never => {
    throw new LogError({ file, expected, found, line: parser.line });
  };
  const reading: Reading = {
    source,
    pool: createPool(),
    problems: noProblems(),
    header: [],
    qsos: [],
    headerEnd: 0,
    given: 0,
    depth: 0,
    section: "",
    fields: undefined,
    element: undefined,
    line: 1,
    begin: 0,
    end: 0,
  };
  parser.on("doctype", () => fail("a log without a document type", "one"));
  parser.on("error", ({ message }) => fail("well-formed XML", message.replace(/^\d+:\d+: /, "")));
  parser.on("opentag", (tag) => {
    if (reading.depth === 0 && upperCase(tag) !== "ADX") fail("an ADX document", `<${tag.name}>`);
    open(reading, tag, { index: parser.position, line: parser.line });
  });
  parser.on("text", (text) => addText(reading, text, parser.line));
  parser.on("cdata", (text) => addText(reading, text, parser.line));
  parser.on("closetag", () => close(reading, parser.position));
  parser.write(source).close();

  const { header, qsos, problems, headerEnd, given } = reading;
  const frame = { before: source.slice(0, headerEnd), after: source.slice(given) };
  return { format: "adx", header: { text: "", fields: header }, qsos, ...problems, adx: frame };
}

/** How far reading has come. */
interface Reading {
  readonly source: string;
  readonly pool: Pool<string, LogField>;
  readonly problems: ProblemList;
  readonly header: LogField[];
  readonly qsos: Qso[];
  /** Index behind the tag that opens the list of QSOs. */
  headerEnd: number;
  /** Index behind what has been given to the header and to QSOs. */
  given: number;
  /** How many elements are open: ADX, HEADER or RECORDS, a header field or RECORD, a field. */
  depth: number;
  /** Name of the open element of depth 2. */
  section: string;
  /** Those of the open QSO. */
  fields: LogField[] | undefined;
  /** The open field. */
  element: AdxElement | undefined;
  /** Where the open QSO begins. */
  line: number;
  begin: number;
  /** Index behind its last field. */
  end: number;
}

function open(reading: Reading, tag: SaxesTagPlain, { index, line }: { index: number; line: number }): void {
  const name = upperCase(tag);
  reading.depth++;
  if (reading.depth === 2) {
    reading.section = name;
    if (name === "RECORDS" && reading.headerEnd === 0) reading.headerEnd = reading.given = index;
  } else if (reading.depth === 3 && reading.section === "RECORDS" && name === "RECORD") {
    reading.fields = [];
    reading.line = line;
    reading.begin = reading.end = index;
  } else if (reading.depth === 4 ? reading.fields !== undefined : isHeaderField(reading)) {
    reading.element = { name, attributes: tag.attributes, text: "" };
  }
}

function isHeaderField({ depth, section }: Reading): boolean {
  return depth === 3 && section === "HEADER";
}

function addText({ element, problems }: Reading, text: string, line: number): void {
  if (element !== undefined) element.text += text;
  else if (text.trim() !== "") {
    const shown = JSON.stringify(text.trim().slice(0, 40));
    addProblem(problems, { line, kind: "line", message: `there is text outside of fields: ${shown}` });
  }
}

function close(reading: Reading, index: number): void {
  const { depth, element, fields, header } = reading;
  if (depth === 4 && element !== undefined && fields !== undefined) closeField(reading, element, index);
  else if (depth === 3 && element !== undefined) {
    header.push(headerFieldOfElement(element));
    reading.element = undefined;
  } else if (depth === 3 && fields !== undefined) closeQso(reading, fields, index);
  reading.depth--;
}

function closeField(reading: Reading, element: AdxElement, index: number): void {
  reading.fields?.push(repeatedField(reading, index) ?? newField(reading, element, index));
  reading.end = index;
  reading.element = undefined;
}

/** The field of the QSO before at the same place, if it is here again. */
function repeatedField({ source, qsos, fields, end }: Reading, index: number): LogField | undefined {
  const field = qsos.at(-1)?.fields[fields?.length ?? 0];
  const isSame = field?.adx?.length === index - end && source.startsWith(field.adx, end);
  return isSame ? field : undefined;
}

function newField({ source, pool, end }: Reading, element: AdxElement, index: number): LogField {
  const adx = source.slice(end, index);
  return pool.get(adx) ?? pool.add(adx, fieldOfElement(element, adx));
}

function closeQso(reading: Reading, fields: LogField[], index: number): void {
  reading.fields = undefined;
  // A record without fields is text between two QSOs.
  if (fields.length === 0) return;
  const { source, qsos, line, given, begin, end } = reading;
  const frame = frameLike(qsos.at(-1)?.adx, source.slice(given, begin), source.slice(end, index));
  qsos.push({ line, fields, adx: frame });
  reading.given = index;
}

function upperCase({ name }: SaxesTagPlain): string {
  return name.toUpperCase();
}
