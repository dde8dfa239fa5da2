/**
 * Reads .adi files.
 *
 * The log keeps every byte of the file, in the `adi` of a field, a QSO or the log itself, so that writing it reproduces
 * the file.
 *
 * @see https://adif.org: ADIF 3.1.6, "ADI File Format".
 */
import { isEndOfValue, valueExtent, type AdiText } from "./adi-extent.js";
import { createTagFinder, type AdiTag } from "./adi-tag.js";
import { decode, isAscii } from "./byte-text.js";
import { createLineCounter, type LineCounter } from "./line-counter.js";
import type { Log, LogField, LogHeader, Qso } from "../log.js";
import { createPool, sharedFrame, type Pool } from "./intern-pool.js";
import { addProblem, noProblems, type ProblemList } from "../problem-list.js";

/** Parses an .adi file from its byte text. */
export function readAdi(text: string): Log {
  const state: ParserState = {
    source: { text, findTag: createTagFinder(text), ascii: isAscii(text) },
    lineAt: createLineCounter(text),
    pool: createPool(),
    problems: noProblems(),
    qsos: [],
    header: undefined,
    headerEnd: 0,
    consumed: 0,
    fields: [],
    begin: 0,
    line: 1,
    end: 0,
  };
  for (let tag = state.source.findTag(0); tag; tag = nextTag(state)) {
    if (tag.name === "EOR" && tag.isMark) endQso(state, tag);
    else if (tag.isMark) endHeader(state, tag);
    else addField(state, tag);
  }
  if (state.fields.length > 0) endUnfinished(state);

  const { header = { text: "", fields: [] }, qsos, problems, headerEnd, consumed } = state;
  const frame = { before: text.slice(0, headerEnd), after: text.slice(consumed) };
  return { format: "adi", header, qsos, ...problems, adi: frame };
}

/** The state of the parser. */
interface ParserState {
  readonly source: AdiText;
  readonly lineAt: LineCounter;
  readonly pool: Pool<string, LogField>;
  readonly problems: ProblemList;
  readonly qsos: Qso[];
  header: LogHeader | undefined;
  /** Index after the header. */
  headerEnd: number;
  /** Index after the text that is assigned to the header or to QSOs. */
  consumed: number;
  /** Fields of the open QSO. */
  fields: LogField[];
  /** Index of the first of them. */
  begin: number;
  line: number;
  /** Index after the parsed text. */
  end: number;
}

/** Takes the fields that repeat those of the previous QSO, and returns the next tag. */
function nextTag(state: ParserState): AdiTag | undefined {
  for (let field = repeatedField(state); field; field = repeatedField(state)) {
    state.fields.push(field);
    state.end += field.adi?.length ?? 0;
  }
  return state.source.findTag(state.end);
}

/**
 * The field at the same index of the previous QSO, if the same bytes follow: half of a log is repetition, and comparing is
 * faster than parsing. Not if the log has problems, since the extent of a field may then depend on what follows.
 */
function repeatedField({ source, problems, qsos, fields, end }: ParserState): LogField | undefined {
  if (!source.ascii || problems.problemCount > 0 || fields.length === 0) return undefined;
  const field = qsos.at(-1)?.fields[fields.length];
  const { text } = source;
  if (field?.adi === undefined || !text.startsWith(field.adi, end)) return undefined;
  return isEndOfValue(text, end + field.adi.length) ? field : undefined;
}

function addField(state: ParserState, tag: AdiTag): void {
  const { source, lineAt, pool, problems, fields } = state;
  const line = lineAt(tag.start);
  if (fields.length === 0) {
    state.begin = tag.start;
    state.line = line;
  }
  const { end, fault } = valueExtent(tag, source);
  if (fault !== undefined) addProblem(problems, { line, kind: "length", message: fault });
  const adi = source.text.slice(fields.length === 0 ? tag.start : state.end, end);
  fields.push(
    pool.get(adi) ?? pool.add(adi, { name: tag.name, value: valueOf(tag, end, source), type: tag.type, adi }),
  );
  state.end = end;
}

function valueOf(tag: AdiTag, end: number, { text, ascii }: AdiText): string {
  const raw = text.slice(tag.end, end);
  return ascii ? raw : decode(raw);
}

function endQso(state: ParserState, tag: AdiTag): void {
  const end = afterLineEnd(state.source.text, tag.end);
  // An <EOR> without fields is text between two QSOs.
  if (state.fields.length > 0) addQso(state, end);
  state.end = end;
}

/** The line end belongs to the QSO before it, so that others can be appended. */
function afterLineEnd(text: string, index: number): number {
  const after = text.startsWith("\r", index) ? index + 1 : index;
  return text.startsWith("\n", after) ? after + 1 : index;
}

function addQso(state: ParserState, end: number): void {
  const { source, qsos, consumed, begin, line, fields } = state;
  const before = source.text.slice(consumed, begin);
  const after = source.text.slice(state.end, end);
  qsos.push({ line, fields, adi: sharedFrame(qsos.at(-1)?.adi, before, after) });
  state.consumed = end;
  state.fields = [];
}

/** Ends the header. A later header, in concatenated logs, is text between two QSOs. */
function endHeader(state: ParserState, { start, end }: AdiTag): void {
  const { source, fields, header, qsos } = state;
  if (header === undefined && qsos.length === 0) {
    const text = decode(source.text.slice(0, fields.length > 0 ? state.begin : start));
    state.header = { text: text.replace(/^\uFEFF/, "").trim(), fields };
    state.headerEnd = end;
    state.consumed = end;
  }
  state.fields = [];
  state.end = end;
}

/** Adds the last QSO, which has no <EOR> and may be incomplete. */
function endUnfinished(state: ParserState): void {
  const { line, problems, end } = state;
  const message = "the last QSO has no <EOR>: the file may be truncated";
  addProblem(problems, { line, kind: "end", message });
  addQso(state, end);
}
