/** Writes Cabrillo files: unchanged lines of a Cabrillo source verbatim, everything else by the columns of the contest. */
import { LogError } from "../../errors.js";
import { checkHeader, firstValue, sharedValue, withLines, type HeaderLines } from "../contest-log.js";
import { fieldValue, type Log, type LogProblem, type Qso } from "../log.js";
import { LINE_FIELD, parseQsoLine, qsoFields } from "./cabrillo-qso.js";
import { headerValue } from "./cabrillo-reader.js";
import {
  columnName,
  columnText,
  guessedLayout,
  isComplete,
  layoutsOf,
  NO_COLUMNS,
  parseLayout,
  type ExchangeColumn,
  type ExchangeLayout,
} from "./cabrillo-layouts.js";
import { cabrilloFrequency, cabrilloMode } from "./cabrillo-tables.js";

export interface CabrilloOptions {
  readonly header?: HeaderLines | undefined;
  readonly columns?: string | undefined;
  /** Called with what is uncertain, and the line of the output. */
  readonly onProblem?: ((problem: LogProblem) => void) | undefined;
}

/** A line that robots ignore: columns that nobody stated. */
const GUESSED = "X-GUESSED-COLUMNS";

const LINE_END = "\r\n";

/**
 * The log as texts to concatenate.
 *
 * @throws {LogError} A QSO lacks a value, the contest is not known, or QSOs belong to several stations or contests.
 * @throws {ValueError} An option is invalid.
 */
export function* writeCabrillo(
  log: Log,
  { header: given = {}, columns, onProblem = () => {} }: CabrilloOptions,
): Generator<string> {
  checkHeader(given, /^(?!(?:X-)?QSO$|(?:START|END)-OF-LOG$)[A-Z][A-Z\d-]*$/i, "a header tag of Cabrillo");
  const { cabrillo: frame } = log;
  const header = headerLines(log, given);
  const stated = columns === undefined ? undefined : [parseLayout(columns)];
  const guess = stated === undefined ? guessOf(log.qsos, header) : undefined;
  if (guess !== undefined) {
    header.push(`${GUESSED}: ${guess.columns}`);
    const message = `the columns of this contest are not known, and guessed by the fields: ${guess.columns}`;
    onProblem({ line: header.length, kind: "line", message });
  }
  const lines = qsoLines(log.qsos, header, { stated, guessed: guess && [guess.layout] });
  const isKept = frame !== undefined && Object.keys(given).length === 0 && guess === undefined;
  yield isKept ? ended(frame.before) : ended(header.join(LINE_END));
  for (const [index, line] of lines.entries()) {
    const { before = "", after = LINE_END } = log.qsos[index]?.cabrillo ?? {};
    yield (isKept ? before : "") + line + (isKept && after !== "" ? after : LINE_END);
  }
  yield isKept ? frame.after : `END-OF-LOG:${LINE_END}`;
}

function ended(text: string): string {
  return text === "" || /[\r\n]$/.test(text) ? text : text + LINE_END;
}

/** The lines before the QSOs: those of a Cabrillo source, or else what all QSOs share. */
function headerLines({ header, qsos }: Log, given: HeaderLines): string[] {
  const all = header.text.split("\n").filter((line) => !/^\s*END-OF-LOG:/i.test(line));
  const start = all.findIndex((line) => /^\s*START-OF-LOG:/i.test(line));
  const isCabrillo = start >= 0;
  // Text before it, such as the head of a message, is no part of the log.
  const source = all.slice(start);
  const lines = isCabrillo ? source : ["START-OF-LOG: 3.0", ...sharedLines(qsos, given)];
  return withLines(lines, given, {
    separator: ": ",
    nameOf: (line) => line.slice(0, Math.max(line.indexOf(":"), 0)).trim(),
  });
}

function sharedLines(qsos: readonly Qso[], given: HeaderLines): string[] {
  const shared = (tag: string, ...fields: string[]) =>
    Object.hasOwn(given, tag) ? undefined : sharedValue(qsos, fields, "Cabrillo");
  const operators = new Set(qsos.flatMap((qso) => firstValue(qso, ["OPERATOR"]) ?? []));
  const lines = [
    ["CONTEST", shared("CONTEST", "CONTEST_ID")],
    ["CALLSIGN", shared("CALLSIGN", "STATION_CALLSIGN", "OPERATOR")?.toUpperCase()],
    ["OPERATORS", operators.size === 0 ? undefined : Array.from(operators).join(" ")],
    ["GRID-LOCATOR", shared("GRID-LOCATOR", "MY_GRIDSQUARE")],
    ["CREATED-BY", "hamkit"],
  ];
  return lines.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`));
}

/** The line of each QSO; columns that are written anew are aligned. */
function qsoLines(
  qsos: readonly Qso[],
  header: readonly string[],
  { stated, guessed }: { readonly [from in "stated" | "guessed"]: readonly ExchangeLayout[] | undefined },
): string[] {
  const ownCall = headerValue(header, "CALLSIGN").toUpperCase();
  const contest = headerValue(header, "CONTEST");
  let layouts = stated ?? guessed;
  const widths: number[] = [];
  const rows = qsos.map((qso) => {
    const line = stated === undefined ? sourceLine(qso) : undefined;
    if (line !== undefined) return line;
    layouts ??= knownLayouts(contest, qso);
    const cells = cellsOf(qso, layouts, ownCall);
    for (const [index, { length }] of cells.entries())
      widths[index] = Math.max(widths[index] ?? MIN_WIDTHS[index] ?? 0, Math.min(length, MAX_WIDTH));
    return cells;
  });
  return rows.map((row, index) => (typeof row === "string" ? row : alignedLine(row, widths, qsos[index])));
}

/** Minimum widths of frequency, mode, date, time and own call. */
const MIN_WIDTHS = [5, 2, 10, 4, 13];
/** A longer cell shifts its line only: one hostile value must not lengthen all lines. */
const MAX_WIDTH = 40;

function alignedLine(
  [frequency = "", ...cells]: readonly string[],
  widths: readonly number[],
  qso?: Qso,
): string {
  const counts = /^X-QSO/i.test(sourceOf(qso)) ? "X-QSO:" : "QSO:";
  const texts = cells.map((cell, index) => cell.padEnd(widths[index + 1] ?? 0));
  return `${counts} ${frequency.padStart(widths[0] ?? 0)} ${texts.join(" ")}`.trimEnd();
}

function sourceOf(qso: Qso | undefined): string {
  return (qso && fieldValue(qso, LINE_FIELD)) ?? "";
}

/** The line that a QSO was read from, unless its fields were changed since. */
function sourceLine(qso: Qso): string | undefined {
  const source = parseQsoLine(sourceOf(qso));
  if (source === undefined) return undefined;
  const hasReports = fieldValue(qso, "RST_SENT") !== undefined;
  const isSame = qsoFields(source, hasReports, () => {}).every(
    ({ name, value }) => fieldValue(qso, name) === value,
  );
  return isSame && !/[\r\n]/.test(source.text) ? source.text : undefined;
}

/** A guess of the columns of a contest that has a name, but no layout; for QSOs that have to be written anew. */
function guessOf(qsos: readonly Qso[], header: readonly string[]): ReturnType<typeof guessedLayout> {
  const contest = headerValue(header, "CONTEST");
  if (contest === "" || layoutsOf(contest) !== undefined) return undefined;
  const changed = qsos.filter((qso) => sourceLine(qso) === undefined);
  return changed.length === 0 ? undefined : guessedLayout(changed);
}

function knownLayouts(contest: string, { line }: Qso): readonly ExchangeLayout[] {
  const known = layoutsOf(contest);
  if (known !== undefined) return known;
  throw new LogError({
    file: "the log",
    expected: "a contest whose columns are known, or the option columns",
    found:
      contest === "" ? "no CONTEST_ID and no CONTEST in the header" : JSON.stringify(contest.slice(0, 60)),
    line,
  });
}

/** Frequency, mode, date, time, own call, sent exchange, other call, received exchange. */
function cellsOf(qso: Qso, layouts: readonly ExchangeLayout[], ownCall: string): string[] {
  const { sent, received } = layouts.find((layout) => isComplete(layout, qso)) ?? layouts[0] ?? NO_COLUMNS;
  const require = (value: string | undefined, name: string) => value ?? missing(qso, name);
  const date = fieldValue(qso, "QSO_DATE") ?? "";
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(date) ?? [];
  const time = /^\d{4}/.exec(fieldValue(qso, "TIME_ON") ?? "")?.[0];
  const texts = (columns: readonly ExchangeColumn[]) =>
    withoutRepetition(columns.map((column) => require(columnText(column, qso), columnName(column))));
  return [
    require(cabrilloFrequency(fieldValue(qso, "FREQ"), fieldValue(qso, "BAND")), "FREQ or BAND"),
    require(modeOf(qso), "MODE"),
    require(day && `${year}-${month}-${day}`, "QSO_DATE"),
    require(time, "TIME_ON"),
    require(firstValue(qso, ["STATION_CALLSIGN", "OPERATOR"]) ?? (ownCall || undefined), "STATION_CALLSIGN"),
    ...texts(sent),
    require(firstValue(qso, ["CALL"]), "CALL").padEnd(13),
    ...texts(received),
  ].map((cell) => cell.replaceAll(/[\r\n\t]+/g, " "));
}

/** Programs that write a number or a name into a field of its own write it into STX_STRING, too. */
function withoutRepetition(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = `${words[index - 1]?.toUpperCase()} `;
    return word.toUpperCase().startsWith(before) ? word.slice(before.length) : word;
  });
}

/** The mode; `DG` of a source becomes no mode of ADIF. */
function modeOf(qso: Qso): string | undefined {
  const mode = fieldValue(qso, "MODE");
  return mode === undefined ? parseQsoLine(sourceOf(qso))?.mode : cabrilloMode(mode);
}

function missing(qso: Qso, name: string): never {
  const call = fieldValue(qso, "CALL");
  throw new LogError({
    file: "the log",
    expected: `${name}${call === undefined ? "" : ` of the QSO with ${call}`} for a line of Cabrillo`,
    found: "none",
    line: qso.line,
  });
}
