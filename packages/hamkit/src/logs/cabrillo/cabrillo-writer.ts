/** Writes Cabrillo files: unchanged lines of a Cabrillo source verbatim, everything else by the columns of the contest. */
import { LogError, ValueError } from "../../errors.js";
import { checkHeader, firstValue, sharedValue, withLines, type HeaderLines } from "../contest-log.js";
import { fieldValue, type Log, type Qso } from "../log.js";
import { LINE_FIELD, parseQsoLine, qsoFields } from "./cabrillo-qso.js";
import { headerValue } from "./cabrillo-reader.js";
import { cabrilloFrequency, cabrilloMode } from "./cabrillo-tables.js";

export interface CabrilloOptions {
  readonly header?: HeaderLines | undefined;
  readonly columns?: string | undefined;
}

const LINE_END = "\r\n";

/**
 * The log as texts to concatenate.
 *
 * @throws {LogError} A QSO lacks a value, the contest is not known, or QSOs belong to several stations or contests.
 * @throws {ValueError} An option is invalid.
 */
export function* writeCabrillo(
  log: Log,
  { header: given = {}, columns }: CabrilloOptions,
): Generator<string> {
  checkHeader(given, /^(?!(?:X-)?QSO$|(?:START|END)-OF-LOG$)[A-Z][A-Z\d-]*$/i, "a header tag of Cabrillo");
  const layout = columns === undefined ? undefined : [parseLayout(columns)];
  const header = headerLines(log, given);
  const lines = qsoLines(log.qsos, header, layout);
  const { cabrillo: frame } = log;
  const isKept = frame !== undefined && Object.keys(given).length === 0;
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
  const source = header.text.split("\n").filter((line) => !/^\s*END-OF-LOG:/i.test(line));
  const isCabrillo = /^\s*START-OF-LOG:/i.test(header.text);
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
  given?: readonly ExchangeLayout[],
): string[] {
  const ownCall = headerValue(header, "CALLSIGN").toUpperCase();
  const contest = headerValue(header, "CONTEST");
  let layouts = given;
  const widths: number[] = [];
  const rows = qsos.map((qso) => {
    const line = given === undefined ? sourceLine(qso) : undefined;
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
    columns.map((column) => require(columnText(column, qso), columnName(column)));
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

const NO_COLUMNS: ExchangeLayout = { sent: [], received: [] };

function isComplete({ sent, received }: ExchangeLayout, qso: Qso): boolean {
  return [...sent, ...received].every((column) => columnText(column, qso) !== undefined);
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

/** Where the text of a column may come from. */
type Source = { readonly field: string; readonly length: number } | { readonly literal: string };

/** A column: the first source with a value applies. */
interface ExchangeColumn {
  readonly sources: readonly Source[];
}

/** The columns between the own call and the other call, and after the other call. */
interface ExchangeLayout {
  readonly sent: readonly ExchangeColumn[];
  readonly received: readonly ExchangeColumn[];
}

const EXPECTED =
  "names of ADIF fields in the order of the line, with CALL between the sent and the received ones, such as " +
  '"RST_SENT STX CALL RST_RCVD SRX"';

/**
 * Parses a template of columns, such as `RST_SENT STX_STRING|STX CALL RST_RCVD SRX_STRING|SRX`. `|` separates
 * alternatives; `GRIDSQUARE:4` is cut to four characters; `'DX'` is literal text.
 *
 * @throws {ValueError} The template has another form, or not one CALL.
 */
function parseLayout(template: string): ExchangeLayout {
  const words = template.trim().split(/\s+/);
  const middle = words.indexOf("CALL");
  if (middle < 0 || words.lastIndexOf("CALL") !== middle) throw invalid(template);
  const columns = words.map((word) => ({
    sources: word.split("|").map((part) => columnSource(part, template)),
  }));
  return { sent: columns.slice(0, middle), received: columns.slice(middle + 1) };
}

function columnSource(text: string, template: string): Source {
  const literal = /^'([^'|\s]+)'$/.exec(text)?.[1];
  if (literal !== undefined) return { literal };
  const [, field, length] = /^([A-Z][A-Z\d_]*)(?::([1-9]\d?))?$/.exec(text) ?? [];
  if (field === undefined) throw invalid(template);
  return { field, length: length === undefined ? Infinity : Number(length) };
}

function invalid(template: string): ValueError {
  return new ValueError({ argument: "columns", value: template, expected: EXPECTED });
}

/** The text of a column with blanks collapsed; `undefined` if the QSO has none of its fields. */
function columnText({ sources }: ExchangeColumn, qso: Qso): string | undefined {
  for (const source of sources) {
    if ("literal" in source) return source.literal;
    const value = fieldValue(qso, source.field);
    if (value !== undefined) return value.slice(0, source.length).replaceAll(/\s+/g, " ");
  }
  return undefined;
}

/** "STX_STRING or STX": the fields that a column accepts. */
function columnName({ sources }: ExchangeColumn): string {
  return sources.map((source) => ("literal" in source ? `'${source.literal}'` : source.field)).join(" or ");
}

/** A report and one more word, which may be a serial number. */
const SERIAL = ["RST_SENT STX|STX_STRING CALL RST_RCVD SRX|SRX_STRING"];
const STATE = ["RST_SENT STX_STRING|STX|MY_STATE CALL RST_RCVD SRX_STRING|SRX|STATE"];
const SQUARE = ["STX_STRING|MY_GRIDSQUARE:4 CALL SRX_STRING|GRIDSQUARE:4"];
const WORDS = "STX_STRING CALL SRX_STRING";
const REPORT_AND_WORDS = "RST_SENT STX_STRING CALL RST_RCVD SRX_STRING";

/**
 * Contests and the columns of their exchanges, by the names that ADIF and Cabrillo share. Of several templates the first
 * applies whose columns all have a value.
 *
 * The zone of a station in a database may differ from the one that it sent: exchange fields come first.
 */
const CONTESTS: readonly (readonly [names: RegExp, templates: readonly string[]])[] = [
  [/^CQ-WW-(?:CW|SSB)$/, ["RST_SENT STX_STRING|STX|MY_CQ_ZONE CALL RST_RCVD SRX_STRING|SRX|CQZ"]],
  [
    /^CQ-WW-RTTY$/,
    [REPORT_AND_WORDS, "RST_SENT STX|MY_CQ_ZONE MY_STATE|'DX' CALL RST_RCVD SRX|CQZ STATE|'DX'"],
  ],
  [/^IARU-HF$/, ["RST_SENT STX_STRING|STX|MY_ITU_ZONE CALL RST_RCVD SRX_STRING|SRX|ITUZ"]],
  [
    /^ARRL-DX-(?:CW|SSB)$/,
    ["RST_SENT STX_STRING|STX|MY_STATE|TX_PWR CALL RST_RCVD SRX_STRING|SRX|RX_PWR|STATE"],
  ],
  [/^(?:ARRL-10|ARRL-RTTY|CQ-160-(?:CW|SSB))$/, STATE],
  [/^ARRL-160$/, ["RST_SENT STX_STRING|MY_ARRL_SECT CALL RST_RCVD SRX_STRING|ARRL_SECT"]],
  [
    /^ARRL-SS-(?:CW|SSB)$/,
    ["STX STX_STRING CALL SRX SRX_STRING", WORDS, "STX STX_STRING CALL SRX PRECEDENCE CHECK ARRL_SECT"],
  ],
  [/^ARRL-FIELD-DAY$/, [WORDS, "STX_STRING CALL CLASS ARRL_SECT"]],
  [/^(?:ARRL-VHF-(?:JAN|JUN|SEP)|ARRL-UHF-AUG|ARRL-222|CQ-VHF)$/, SQUARE],
  [/^NAQP-(?:CW|SSB|RTTY)$/, [WORDS, "STX_STRING CALL NAME STATE|'DX'"]],
  [
    /^NA-SPRINT-(?:CW|SSB|RTTY)$/,
    ["STX STX_STRING CALL SRX SRX_STRING", WORDS, "STX STX_STRING CALL SRX NAME STATE"],
  ],
  [
    /^RSGB-IOTA$/,
    ["RST_SENT STX STX_STRING|MY_IOTA|'------' CALL RST_RCVD SRX SRX_STRING|IOTA|'------'", REPORT_AND_WORDS],
  ],
  [/^(?:CQ-WPX-(?:CW|SSB|RTTY)|DARC-WAEDC-(?:CW|SSB|RTTY)|DARC-WAG|DL-DX-RTTY)$/, SERIAL],
  [/^(?:RDXC|PACC|SAC-(?:CW|SSB)|OCEANIA-DX-(?:CW|SSB)|REF-(?:CW|SSB)|HA-DX|EU-HF|IARU-FIELD-DAY)$/, SERIAL],
];

/** The layouts of a contest in order of preference; `undefined` if it is not known. */
function layoutsOf(contest: string): readonly ExchangeLayout[] | undefined {
  const name = contest.toUpperCase();
  return CONTESTS.find(([names]) => names.test(name))?.[1].map(parseLayout);
}
