/**
 * Reads fast log entry (FLE), the shorthand of DF3CB's program, as ADIF fields.
 *
 * @see https://df3cb.com/fle/documentation: keywords, words and their order, standard reports.
 */
import { decode } from "../adif-text/byte-text.js";
import { addProblem, noProblems, type Log, type LogField, type LogProblem, type Qso } from "../log.js";
import { fleLines, MAX_LINE } from "./fle-lines.js";
import { createFleContext } from "./fle-qso.js";
import { createFleStation, firstStationLines, stationLine } from "./fle-station.js";
import { readWords, type FleWords, type UnreadWord } from "./fle-words.js";

export interface FleOptions {
  /** Whether QSOs without a time get one between those of the QSOs before and after them that have one. */
  readonly interpolateTimes?: boolean | undefined;
  /** Whether QSOs without a sent number get the next one. */
  readonly consecutiveNumbers?: boolean | undefined;
}

/** Parses an FLE text. Lines that aren't QSOs, without remarks, become the header's text. */
export function readFle(text: string, options: FleOptions = {}): Log {
  return readMarked(text, options).log;
}

/** The beginning that decides whether a text is FLE. */
const LOOKED_AT = 64 * 1024;

/**
 * Whether a byte text is FLE by its beginning: with `mycall` it has a QSO, and at least half of its lines are QSOs or understood;
 * without it has settings and a QSO with a time, and at least half of its lines are understood.
 */
export function isFle(bytes: string): boolean {
  const beginning = bytes.slice(0, LOOKED_AT);
  const isWhole = beginning.length === bytes.length;
  const end = Math.max(beginning.lastIndexOf("\n"), beginning.lastIndexOf("\r"));
  const lines = isWhole ? beginning : beginning.slice(0, end + 1);
  const { log, marks } = readMarked(decode(lines), {});
  if (marks.hasCall) return log.qsos.length > 0 && marks.unread * 2 <= marks.lines;
  return marks.isSet && marks.hasTimedQso && (marks.unread + marks.partlyRead) * 2 <= marks.lines;
}

/** What tells FLE from other texts. */
interface FleMarks {
  /** With content. */
  readonly lines: number;
  /** QSOs with words that are not understood. */
  readonly partlyRead: number;
  /** Others with such words. */
  readonly unread: number;
  readonly hasCall: boolean;
  readonly isSet: boolean;
  readonly hasTimedQso: boolean;
}

/** A QSO whose time may be interpolated. */
interface ReadQso extends Qso {
  readonly fields: LogField[];
}

function readMarked(text: string, options: FleOptions): { log: Log; marks: FleMarks } {
  const problems = noProblems();
  const header: string[] = [];
  const qsos: ReadQso[] = [];
  /** Indexes of the QSOs whose time is written. */
  const timed: number[] = [];
  let line = 0;
  let lines = 0;
  let partlyRead = 0;
  let unreadLines = 0;
  let isTimed = false;
  let last = { date: "", time: "" };
  const report = (kind: LogProblem["kind"], message: string) => addProblem(problems, { line, kind, message });
  const context = createFleContext(options.consecutiveNumbers === true, report);
  const station = createFleStation(firstStationLines(textsOf(text)));

  /** @returns Whether all words are understood. */
  function readLine(content: string): boolean {
    const own = stationLine(content);
    if (own !== undefined || content.length > MAX_LINE) {
      const message = own === undefined ? `expected at most ${MAX_LINE} characters` : station.set(own);
      header.push(content);
      if (message !== undefined) report("line", message);
      return message === undefined;
    }
    const words = readWords(content);
    const unread = words.isNote ? words.unread : context.apply(words);
    for (const { kind, message } of unread) report(kind, message);
    isTimed ||= !words.isNote && words.time !== undefined && context.time !== undefined;
    if (words.isQso && context.time !== undefined) addQso(words, unread);
    else {
      header.push(content);
      const message = missingIn(words);
      if (message !== undefined) report("line", message);
    }
    return unread.length === 0;
  }

  function addQso(words: FleWords, unread: readonly UnreadWord[]): void {
    const { date = "", time = "" } = context;
    if (isTimed) {
      if (date === last.date && time < last.time)
        report("date", `${time} is before ${last.time} of the QSO above: expected a later time, or day +`);
      last = { date, time };
      timed.push(qsos.length);
      isTimed = false;
    }
    const fields = context.qsoFields(words, unread);
    for (const field of station.fields())
      if (field.name !== "QSLMSG" || words.message === undefined) fields.push(field);
    qsos.push({ line, fields });
  }

  for (const { number, text: content, faults } of fleLines(text)) {
    for (const fault of faults) addProblem(problems, { ...fault, kind: "line" });
    line = number;
    if (content === "") continue;
    lines++;
    const before = qsos.length;
    if (readLine(content)) continue;
    if (qsos.length > before) partlyRead++;
    else unreadLines++;
  }
  const hasCall = station.fields().some(({ name }) => name === "STATION_CALLSIGN");
  const first = qsos[0];
  if (first !== undefined && !hasCall)
    addProblem(problems, {
      line: first.line,
      kind: "line",
      message: "expected mycall with the own callsign",
    });
  if (options.interpolateTimes === true) interpolateTimes(qsos, timed);
  const log: Log = {
    format: "fle",
    header: { text: header.join("\n"), fields: [] },
    qsos,
    ...problems,
  };
  const hasTimedQso = timed.length > 0;
  return {
    log,
    marks: { lines, partlyRead, unread: unreadLines, hasCall, isSet: context.isSet, hasTimedQso },
  };
}

/** What a line lacks for a QSO whose parts it has. */
function missingIn({
  call,
  comment,
  message,
  name,
  locator,
  references,
  exchanges,
}: FleWords): string | undefined {
  if (call !== undefined) return `no QSO with ${call}: expected a time HHMM before the call`;
  const isOfQso =
    [comment, message, name, locator].some((text) => text !== undefined) ||
    references.size > 0 ||
    exchanges.some(({ isSent }) => !isSent);
  return isOfQso ? "no QSO: expected a callsign" : undefined;
}

function* textsOf(text: string): Generator<string> {
  for (const { text: content } of fleLines(text)) if (content.length <= MAX_LINE) yield content;
}

/** Distributes the QSOs without a time evenly between those that have one, in whole minutes of their own date. */
function interpolateTimes(qsos: readonly ReadQso[], timed: readonly number[]): void {
  for (const [place, to] of timed.entries()) {
    const from = timed[place - 1] ?? to;
    const start = minuteOf(qsos[from]);
    const end = minuteOf(qsos[to]);
    if (end <= start) continue;
    for (let index = from + 1; index < to; index++) {
      const minute = start + Math.floor(((end - start) * (index - from)) / (to - from));
      const ofDay = Math.min(Math.max(minute - dayOf(qsos[index]) * MINUTES, 0), MINUTES - 1);
      const value = `${Math.floor(ofDay / 60)}`.padStart(2, "0") + `${ofDay % 60}`.padStart(2, "0");
      const fields = qsos[index]?.fields ?? [];
      fields[fields.findIndex(({ name }) => name === "TIME_ON")] = { name: "TIME_ON", value };
    }
  }
}

const MINUTES = 1440;

function valueOf(qso: ReadQso | undefined, name: string): string {
  return qso?.fields.find((field) => field.name === name)?.value ?? "";
}

/** Days since 1970; 0 without a date. */
function dayOf(qso: ReadQso | undefined): number {
  const date = valueOf(qso, "QSO_DATE");
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)].map(Number);
  return date === "" ? 0 : Date.UTC(year ?? 0, (month ?? 0) - 1, day) / 86_400_000;
}

function minuteOf(qso: ReadQso | undefined): number {
  const time = valueOf(qso, "TIME_ON");
  return dayOf(qso) * MINUTES + Number(time.slice(0, 2)) * 60 + Number(time.slice(2));
}
