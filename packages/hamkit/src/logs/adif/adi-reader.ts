/**
 * Reads .adi files.
 *
 * Every byte of the file comes back in the log, in the `adi` of a field, a QSO or the log itself, so that writing it
 * gives the same file, whatever was in it.
 *
 * @see https://adif.org: ADIF 3.1.6, "ADI File Format".
 */
import { isEndOfValue, valueExtent, type AdiText } from "./adi-extent.js";
import { createTagFinder, type AdiTag } from "./adi-tag.js";
import { decode, isAscii } from "./byte-text.js";
import { createLineCounter, type LineCounter } from "./line-counter.js";
import type { Log, LogField, LogHeader, Qso } from "../log.js";
import { createPool, type Pool } from "./intern-pool.js";
import { addProblem, noProblems, type ProblemList } from "../problem-list.js";
import { frameLike } from "../qso-frame.js";

/** The log of an .adi file, of which there is a byte text. */
export function readAdi(text: string): Log {
  const reading: Reading = {
    source: { text, findTag: createTagFinder(text), ascii: isAscii(text) },
    lineAt: createLineCounter(text),
    pool: createPool(),
    problems: noProblems(),
    qsos: [],
    header: undefined,
    headerEnd: 0,
    given: 0,
    fields: [],
    begin: 0,
    line: 1,
    end: 0,
  };
  for (let tag = reading.source.findTag(0); tag; tag = nextTag(reading)) {
    if (tag.name === "EOR" && tag.isMark) endQso(reading, tag);
    else if (tag.isMark) endHeader(reading, tag);
    else addField(reading, tag);
  }
  if (reading.fields.length > 0) endUnfinished(reading);

  const { header = { text: "", fields: [] }, qsos, problems, headerEnd, given } = reading;
  const frame = { before: text.slice(0, headerEnd), after: text.slice(given) };
  return { format: "adi", header, qsos, ...problems, adi: frame };
}

/** How far reading has come. */
interface Reading {
  readonly source: AdiText;
  readonly lineAt: LineCounter;
  readonly pool: Pool<string, LogField>;
  readonly problems: ProblemList;
  readonly qsos: Qso[];
  header: LogHeader | undefined;
  /** Index behind the header. */
  headerEnd: number;
  /** Index behind what has been given to the header and to QSOs. */
  given: number;
  /** Fields whose QSO has not ended yet. */
  fields: LogField[];
  /** Where the first of them begins. */
  begin: number;
  line: number;
  /** Index behind what has been looked at. */
  end: number;
}

/** The next tag behind fields that are the same as in the QSO before. */
function nextTag(reading: Reading): AdiTag | undefined {
  for (let field = repeatedField(reading); field; field = repeatedField(reading)) {
    reading.fields.push(field);
    reading.end += field.adi?.length ?? 0;
  }
  return reading.source.findTag(reading.end);
}

/**
 * The field of the QSO before at the same place, if it is here again, byte by byte: half of a log is repetition, and this
 * is faster than reading it. Not where the log has had faults, since what a field is may then depend on what follows.
 */
function repeatedField({ source, problems, qsos, fields, end }: Reading): LogField | undefined {
  if (!source.ascii || problems.problemCount > 0 || fields.length === 0) return undefined;
  const field = qsos.at(-1)?.fields[fields.length];
  const { text } = source;
  if (field?.adi === undefined || !text.startsWith(field.adi, end)) return undefined;
  return isEndOfValue(text, end + field.adi.length) ? field : undefined;
}

function addField(reading: Reading, tag: AdiTag): void {
  const { source, lineAt, pool, problems, fields } = reading;
  const line = lineAt(tag.start);
  if (fields.length === 0) {
    reading.begin = tag.start;
    reading.line = line;
  }
  const { end, fault } = valueExtent(tag, source);
  if (fault !== undefined) addProblem(problems, { line, kind: "length", message: fault });
  const adi = source.text.slice(fields.length === 0 ? tag.start : reading.end, end);
  fields.push(
    pool.get(adi) ?? pool.add(adi, { name: tag.name, value: valueOf(tag, end, source), type: tag.type, adi }),
  );
  reading.end = end;
}

function valueOf(tag: AdiTag, end: number, { text, ascii }: AdiText): string {
  const raw = text.slice(tag.end, end);
  return ascii ? raw : decode(raw);
}

function endQso(reading: Reading, tag: AdiTag): void {
  const end = behindLineEnd(reading.source.text, tag.end);
  // An end without fields is text between two QSOs.
  if (reading.fields.length > 0) giveQso(reading, end);
  reading.end = end;
}

/** The end of the line belongs to the QSO before it, so that others can be put behind it. */
function behindLineEnd(text: string, index: number): number {
  const behind = text.startsWith("\r", index) ? index + 1 : index;
  return text.startsWith("\n", behind) ? behind + 1 : index;
}

function giveQso(reading: Reading, end: number): void {
  const { source, qsos, given, begin, line, fields } = reading;
  const before = source.text.slice(given, begin);
  const after = source.text.slice(reading.end, end);
  qsos.push({ line, fields, adi: frameLike(qsos.at(-1)?.adi, before, after) });
  reading.given = end;
  reading.fields = [];
}

/** What came before is no QSO. A header further down, in logs that were strung together, is text between two QSOs. */
function endHeader(reading: Reading, { start, end }: AdiTag): void {
  const { source, fields, header, qsos } = reading;
  if (header === undefined && qsos.length === 0) {
    const text = decode(source.text.slice(0, fields.length > 0 ? reading.begin : start));
    reading.header = { text: text.replace(/^\uFEFF/, "").trim(), fields };
    reading.headerEnd = end;
    reading.given = end;
  }
  reading.fields = [];
  reading.end = end;
}

/** The last QSO has no end; it may be a part of one. */
function endUnfinished(reading: Reading): void {
  const { line, problems, end } = reading;
  const message = "the last QSO has no <EOR>: the file may have been cut off";
  addProblem(problems, { line, kind: "end", message });
  giveQso(reading, end);
}
