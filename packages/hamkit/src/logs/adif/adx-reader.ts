/**
 * Reads .adx files, the XML format of ADIF.
 *
 * Field names and header fields have their .adi form, so that the formats can be converted. The log keeps all text of the
 * file, in the `adx` of a field, a QSO or the log itself.
 *
 * @see https://adif.org: ADIF 3.1.6, "ADX File Format".
 */
import { SaxesParser, type SaxesTagPlain } from "saxes";

import { LogError } from "../../errors.js";
import { fieldOfElement, headerFieldOfElement, type AdxElement } from "./adx-element.js";
import type { Log, LogField, Qso } from "../log.js";
import { createPool, sharedFrame, type Pool } from "./intern-pool.js";
import { addProblem, noProblems, type ProblemList } from "../problem-list.js";

/**
 * Parses an .adx file.
 *
 * @param file The file's name, for the error.
 * @throws {LogError} The file is not well-formed XML, has a DOCTYPE, or is not ADX.
 */
export function readAdx(source: string, file: string): Log {
  const parser = new SaxesParser();
  const fail = (expected: string, found: string): never => {
    throw new LogError({ file, expected, found, line: parser.line });
  };
  const state: ParserState = {
    source,
    pool: createPool(),
    problems: noProblems(),
    header: [],
    qsos: [],
    headerEnd: 0,
    consumed: 0,
    depth: 0,
    section: "",
    fields: undefined,
    element: undefined,
    line: 1,
    begin: 0,
    end: 0,
  };
  parser.on("doctype", () => fail("XML without a DOCTYPE", "a DOCTYPE"));
  parser.on("error", ({ message }) => fail("well-formed XML", message.replace(/^\d+:\d+: /, "")));
  parser.on("opentag", (tag) => {
    if (state.depth === 0 && upperCase(tag) !== "ADX") fail("an ADX document", `<${tag.name}>`);
    open(state, tag, { index: parser.position, line: parser.line });
  });
  parser.on("text", (text) => addText(state, text, parser.line));
  parser.on("cdata", (text) => addText(state, text, parser.line));
  parser.on("closetag", () => close(state, parser.position));
  parser.write(source).close();

  const { header, qsos, problems, headerEnd, consumed } = state;
  const frame = { before: source.slice(0, headerEnd), after: source.slice(consumed) };
  return { format: "adx", header: { text: "", fields: header }, qsos, ...problems, adx: frame };
}

/** The state of the parser. */
interface ParserState {
  readonly source: string;
  readonly pool: Pool<string, LogField>;
  readonly problems: ProblemList;
  readonly header: LogField[];
  readonly qsos: Qso[];
  /** Index after the opening tag RECORDS. */
  headerEnd: number;
  /** Index after the text that is assigned to the header or to QSOs. */
  consumed: number;
  /** Number of open elements: ADX, HEADER or RECORDS, a header field or RECORD, a field. */
  depth: number;
  /** Name of the open element at depth 2. */
  section: string;
  /** Fields of the open QSO. */
  fields: LogField[] | undefined;
  /** The open field. */
  element: AdxElement | undefined;
  /** Line and index of the open QSO. */
  line: number;
  begin: number;
  /** Index after its last field. */
  end: number;
}

function open(
  state: ParserState,
  tag: SaxesTagPlain,
  { index, line }: { index: number; line: number },
): void {
  const name = upperCase(tag);
  state.depth++;
  if (state.depth === 2) {
    state.section = name;
    if (name === "RECORDS" && state.headerEnd === 0) state.headerEnd = state.consumed = index;
  } else if (state.depth === 3 && state.section === "RECORDS" && name === "RECORD") {
    state.fields = [];
    state.line = line;
    state.begin = state.end = index;
  } else if (state.depth === 4 ? state.fields !== undefined : isHeaderField(state)) {
    state.element = { name, attributes: tag.attributes, text: "" };
  }
}

function isHeaderField({ depth, section }: ParserState): boolean {
  return depth === 3 && section === "HEADER";
}

function addText({ element, problems }: ParserState, text: string, line: number): void {
  if (element !== undefined) element.text += text;
  else if (text.trim() !== "") {
    const shown = JSON.stringify(text.trim().slice(0, 40));
    addProblem(problems, { line, kind: "line", message: `unexpected text outside of fields: ${shown}` });
  }
}

function close(state: ParserState, index: number): void {
  const { depth, element, fields, header } = state;
  if (depth === 4 && element !== undefined && fields !== undefined) closeField(state, element, index);
  else if (depth === 3 && element !== undefined) {
    header.push(headerFieldOfElement(element));
    state.element = undefined;
  } else if (depth === 3 && fields !== undefined) closeQso(state, fields, index);
  state.depth--;
}

function closeField(state: ParserState, element: AdxElement, index: number): void {
  state.fields?.push(repeatedField(state, index) ?? newField(state, element, index));
  state.end = index;
  state.element = undefined;
}

/** The field at the same index of the previous QSO, if its source text is the same. */
function repeatedField({ source, qsos, fields, end }: ParserState, index: number): LogField | undefined {
  const field = qsos.at(-1)?.fields[fields?.length ?? 0];
  const isSame = field?.adx?.length === index - end && source.startsWith(field.adx, end);
  return isSame ? field : undefined;
}

function newField({ source, pool, end }: ParserState, element: AdxElement, index: number): LogField {
  const adx = source.slice(end, index);
  return pool.get(adx) ?? pool.add(adx, fieldOfElement(element, adx));
}

function closeQso(state: ParserState, fields: LogField[], index: number): void {
  state.fields = undefined;
  // A record without fields is text between two QSOs.
  if (fields.length === 0) return;
  const { source, qsos, line, consumed, begin, end } = state;
  const frame = sharedFrame(qsos.at(-1)?.adx, source.slice(consumed, begin), source.slice(end, index));
  qsos.push({ line, fields, adx: frame });
  state.consumed = index;
}

function upperCase({ name }: SaxesTagPlain): string {
  return name.toUpperCase();
}
