/** Writes EDI files: unchanged records of an EDI source verbatim, everything else from the fields. */
import { LogError, ValueError } from "../../errors.js";
import { checkHeader, firstValue, sharedValue, withLines, type HeaderLines } from "../contest-log.js";
import { showValue } from "../../show-value.js";
import { fieldValue, type Log, type LogProblem, type Qso } from "../log.js";
import { ediValue, recordCount } from "./edi-reader.js";
import { parseRecord, RECORD_FIELD, recordFields, recordText, type EdiRecord } from "./edi-record.js";
import { ediBand, ediMode } from "./edi-tables.js";
import { EARTH_RADIUS_KM, distanceKm } from "../../geo/great-circle.js";
import { locatorToPosition } from "../../geo/locator.js";

export interface EdiOptions {
  readonly header?: HeaderLines | undefined;
  readonly band?: string | undefined;
  readonly onProblem?: ((problem: LogProblem) => void) | undefined;
}

const LINE_END = "\r\n";

/**
 * The log as texts to concatenate, in ASCII: REG1TEST has no other characters.
 *
 * @throws {LogError} A QSO lacks a value, or QSOs belong to several stations, locators, contests or bands.
 * @throws {ValueError} An option is invalid.
 */
export function* writeEdi(log: Log, options: EdiOptions): Generator<string> {
  let line = 1;
  for (const text of ediTexts(log, options)) {
    for (const part of text.split(/(?<=\n)/)) {
      const written = asciiText(part);
      if (written !== part && options.onProblem !== undefined)
        options.onProblem({ line, kind: "line", message: changedLine(part, written) });
      yield written;
      if (part.endsWith("\n")) line++;
    }
  }
}

function changedLine(text: string, written: string): string {
  return `${showValue(text.trim())} is written as ${showValue(written.trim())}: EDI has no characters beyond ASCII`;
}

function* ediTexts(log: Log, { header: given = {}, band }: EdiOptions): Generator<string> {
  checkHeader(given, /^[A-Z][A-Za-z\d]{0,9}$/, "a keyword of EDI, such as PSect");
  const qsos = band === undefined ? log.qsos : onBand(log.qsos, band);
  const lines = log.header.text.split("\n");
  const isEdi = /^\s*\[REG1TEST/i.test(log.header.text);
  const beginning = isEdi ? lines.slice(0, firstSection(lines)) : newLines(qsos, given);
  const header = withLines(beginning, given, KEYWORDS);
  const { records, isKept } = recordsOf(qsos, ediValue(header, "PWWLo"));
  const announced = lines.map(recordCount).find((count) => count !== undefined);

  const { edi: frame } = log;
  if (frame !== undefined && isKept && announced === qsos.length && Object.keys(given).length === 0) {
    yield ended(frame.before);
    for (const [index, record] of records.entries()) {
      const { before = "", after = LINE_END } = qsos[index]?.edi ?? {};
      yield before + record + (after === "" && index < records.length - 1 ? LINE_END : after);
    }
    yield frame.after;
    return;
  }
  const claims = Object.entries(claimLines(records, header)).filter(([name]) => !Object.hasOwn(given, name));
  const complete = withLines(header, Object.fromEntries(claims), KEYWORDS);
  const remarks = isEdi ? lines.slice(firstSection(lines)).filter(isRemark) : ["[Remarks]"];
  for (const line of [...complete, ...remarks, `[QSORecords;${records.length}]`, ...records, "[END;hamkit]"])
    yield line + LINE_END;
}

const KEYWORDS = {
  separator: "=",
  nameOf: (line: string) => line.slice(0, Math.max(line.indexOf("="), 0)).trim(),
};

function ended(text: string): string {
  return text === "" || /[\r\n]$/.test(text) ? text : text + LINE_END;
}

/** Index of the first line of the remarks or records; the file identifier is the first line. */
function firstSection(lines: readonly string[]): number {
  const index = lines.findIndex((line, place) => place > 0 && line.trimStart().startsWith("["));
  return index < 0 ? lines.length : index;
}

function isRemark(line: string): boolean {
  return !/^\s*\[(?:QSORecords|END)/i.test(line);
}

/** Bands of EDI are files of their own. */
function onBand(qsos: readonly Qso[], band: string): readonly Qso[] {
  if (ediBand(band) === undefined)
    throw new ValueError({
      argument: "band",
      value: band,
      expected: 'a band above 30 MHz by its ADIF name, such as "2m"',
    });
  return qsos.filter((qso) => fieldValue(qso, "BAND")?.toLowerCase() === band.toLowerCase());
}

/** The keywords of a new header, in the order of the standard. */
function newLines(qsos: readonly Qso[], given: HeaderLines): string[] {
  const shared = (keyword: string, ...fields: string[]) => {
    if (Object.hasOwn(given, keyword)) return given[keyword];
    const value = sharedValue(qsos, fields, "EDI");
    if (value !== undefined) return value;
    const found = `no ${fields[0]} in any QSO, and no header ${keyword}`;
    throw new LogError({ file: "the log", expected: `${keyword} for a file in EDI`, found });
  };
  const dates = qsos.flatMap((qso) => fieldValue(qso, "QSO_DATE") ?? []).toSorted();
  const values: Readonly<Record<string, string | undefined>> = {
    TName: given["TName"] ?? sharedValue(qsos, ["CONTEST_ID"], "EDI"),
    TDate: `${dates[0] ?? ""};${dates.at(-1) ?? ""}`,
    PCall: shared("PCall", "STATION_CALLSIGN", "OPERATOR")?.toUpperCase(),
    PWWLo: shared("PWWLo", "MY_GRIDSQUARE")?.slice(0, 6).toUpperCase(),
    PExch: given["PExch"] ?? sharedValue(qsos, ["STX_STRING"], "EDI"),
    PBand: given["PBand"] ?? bandName(shared("PBand", "BAND") ?? ""),
  };
  return ["[REG1TEST;1]", ...EVERY_KEYWORD.map((keyword) => `${keyword}=${values[keyword] ?? ""}`)];
}

const EVERY_KEYWORD =
  "TName TDate PCall PWWLo PExch PAdr1 PAdr2 PSect PBand PClub RName RCall RAdr1 RAdr2 RPoCo RCity RCoun RPhon RHBBS MOpe1 MOpe2 STXEq SPowe SRXEq SAnte SAntH CQSOs CQSOP CWWLs CWWLB CExcs CExcB CDXCs CDXCB CToSc CODXC".split(
    " ",
  );

function bandName(band: string): string {
  const name = ediBand(band);
  if (name !== undefined) return name;
  throw new LogError({
    file: "the log",
    expected: "QSOs on a band above 30 MHz for a file in EDI",
    found: band,
  });
}

/** The record of each QSO, and whether all are those that were read. */
function recordsOf(qsos: readonly Qso[], ownLocator: string): { records: string[]; isKept: boolean } {
  const seen: Seen = { calls: new Set(), exchanges: new Set(), squares: new Set(), entities: new Set() };
  let isKept = true;
  const records = qsos.map((qso) => {
    const source = sourceRecord(qso);
    if (source === undefined) {
      isKept = false;
      return newRecord(qso, ownLocator, seen);
    }
    // What is new after it, is new beside it.
    const { call, exchange, locator } = source;
    seen.calls.add(call.toUpperCase());
    seen.exchanges.add(exchange);
    seen.squares.add(locator.slice(0, 4).toUpperCase());
    return source.text;
  });
  return { records, isKept };
}

interface Seen {
  readonly calls: Set<string>;
  readonly exchanges: Set<string>;
  readonly squares: Set<string>;
  readonly entities: Set<string>;
}

/** The record that a QSO was read from, unless its fields were changed since. */
function sourceRecord(qso: Qso): EdiRecord | undefined {
  const source = parseRecord(fieldValue(qso, RECORD_FIELD) ?? "");
  if (source === undefined || /[\r\n]/.test(source.text)) return undefined;
  return recordFields(source, () => {}).every(({ name, value }) => fieldValue(qso, name) === value)
    ? source
    : undefined;
}

function newRecord(qso: Qso, ownLocator: string, seen: Seen): string {
  const value = (name: string) => (fieldValue(qso, name) ?? "").replaceAll(/[;\s]+/g, " ");
  const call = firstValue(qso, ["CALL"]) ?? missing(qso, "CALL");
  const date = /^\d{8}$/.exec(value("QSO_DATE"))?.[0].slice(2) ?? missing(qso, "QSO_DATE");
  const time = /^\d{4}/.exec(value("TIME_ON"))?.[0] ?? missing(qso, "TIME_ON");
  const locator = value("GRIDSQUARE").slice(0, 6).toUpperCase();
  const isDuplicate = isSeen(seen.calls, call);
  const exchange = value("SRX_STRING");
  return recordText({
    date,
    time,
    call: call.replaceAll(";", ""),
    mode: ediMode(fieldValue(qso, "MODE")),
    sentReport: value("RST_SENT"),
    sentNumber: serial(value("STX")),
    receivedReport: value("RST_RCVD"),
    receivedNumber: serial(value("SRX")),
    exchange,
    locator,
    points: isDuplicate ? "0" : pointsOf(ownLocator, locator),
    isNewExchange: !isDuplicate && exchange !== "" && !isSeen(seen.exchanges, exchange),
    isNewLocator: !isDuplicate && isContestLocator(locator) && !isSeen(seen.squares, locator.slice(0, 4)),
    isNewEntity: !isDuplicate && value("DXCC") !== "" && !isSeen(seen.entities, value("DXCC")),
    isDuplicate,
  });
}

/** Whether a set has a value; it has it afterwards. */
function isSeen(values: Set<string>, value: string): boolean {
  if (values.has(value)) return true;
  values.add(value);
  return false;
}

/** Serial numbers have three digits or more. */
function serial(number: string): string {
  return /^\d+$/.test(number) ? number.padStart(3, "0") : number;
}

function missing(qso: Qso, name: string): never {
  const call = fieldValue(qso, "CALL");
  throw new LogError({
    file: "the log",
    expected: `${name}${call === undefined ? "" : ` of the QSO with ${call}`} for a record of EDI`,
    found: "none",
    line: qso.line,
  });
}

/** Letters that no decomposition spells, and those of German, whose marks stand for an e. */
const SPELLINGS: Readonly<Record<string, string>> = {
  Ä: "Ae",
  Ö: "Oe",
  Ü: "Ue",
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  ẞ: "SS",
  Æ: "AE",
  æ: "ae",
  Œ: "OE",
  œ: "oe",
  Ø: "O",
  ø: "o",
  Đ: "D",
  đ: "d",
  Ð: "D",
  ð: "d",
  Þ: "Th",
  þ: "th",
  Ł: "L",
  ł: "l",
  Ħ: "H",
  ħ: "h",
  ı: "i",
  "€": "EUR",
  "–": "-",
  "—": "-",
  "‘": "'",
  "’": "'",
  "‚": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "«": '"',
  "»": '"',
  "°": " deg",
  "\u00A0": " ",
  "\uFEFF": "",
};

/** The text with characters beyond ASCII spelled in ASCII (`Köln` as `Koeln`, `Málaga` as `Malaga`), or else replaced by `?`. */
function asciiText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII includes control characters
  return text.normalize("NFC").replaceAll(/[^\u0000-\u007f]/gu, asciiCharacter);
}

function asciiCharacter(character: string): string {
  const spelled = SPELLINGS[character];
  if (spelled !== undefined) return spelled;
  const decomposed = character.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  return /^[ -~]+$/.test(decomposed) ? decomposed : "?";
}

/** Whether a text is a locator of 4 or 6 characters, the longest that EDI has. */
function isContestLocator(text: string): boolean {
  return /^[A-R]{2}\d{2}(?:[A-X]{2})?$/i.test(text);
}

/** Kilometers per degree, by the rules of IARU Region 1. */
const KM_PER_DEGREE = 111.2;

/**
 * Points of a QSO by the rules of IARU Region 1: one per kilometer begun between the centers of both locators, so one for
 * the same locator.
 *
 * @returns "0" if a locator is missing or malformed.
 * @see https://vushf.dk/contest/basic-contest-rules: the formula with an example, JO55WW to JO65FR: 43.17 km.
 */
export function pointsOf(own: string, other: string): string {
  if (!isContestLocator(own) || !isContestLocator(other)) return "0";
  const [from, to] = [
    locatorToPosition(own, "PWWLo", "center"),
    locatorToPosition(other, "GRIDSQUARE", "center"),
  ];
  const degrees = (distanceKm(from, to) / EARTH_RADIUS_KM / Math.PI) * 180;
  return String(Math.floor(degrees * KM_PER_DEGREE) + 1);
}

/** The claim lines of the header, from the records and the bonuses in the lines of before. */
function claimLines(records: readonly string[], header: readonly string[]): Record<string, string> {
  const counted = records.flatMap((text) => parseRecord(text) ?? []).filter(isCounted);
  const points = counted.reduce((sum, record) => sum + (Number(record.points) || 0), 0);
  const best = counted.reduce<EdiRecord | undefined>(
    (far, record) => (Number(record.points) > Number(far?.points ?? 0) ? record : far),
    undefined,
  );
  const lines: Record<string, string> = {
    CQSOs: `${counted.length};${parameters(header, "CQSOs", ["1"]).join(";")}`,
    CQSOP: String(points),
  };
  let total = points;
  for (const [count, bonus, mark] of MULTIPLIED) {
    const number = counted.filter((record) => record[mark]).length;
    const [each = "0", multiplier = "1"] = parameters(header, count, ["0", "1"]);
    lines[count] = `${number};${each};${multiplier}`;
    lines[bonus] = String(number * (Number(each) || 0));
    total += number * (Number(each) || 0);
  }
  return {
    ...lines,
    CToSc: String(total),
    CODXC: best === undefined ? "" : `${best.call};${best.locator};${best.points}`,
  };
}

/** Lines of a count with bonus and multiplier, lines of the bonus points, and marks of the records. */
const MULTIPLIED = [
  ["CWWLs", "CWWLB", "isNewLocator"],
  ["CExcs", "CExcB", "isNewExchange"],
  ["CDXCs", "CDXCB", "isNewEntity"],
] as const;

function isCounted({ call, isDuplicate }: EdiRecord): boolean {
  return !isDuplicate && call.toUpperCase() !== "ERROR";
}

/** The values after the first semicolon of a line. */
function parameters(
  header: readonly string[],
  name: string,
  otherwise: readonly string[],
): readonly string[] {
  const given = ediValue(header, name).split(";").slice(1);
  return otherwise.map((value, index) => given[index]?.trim() || value);
}
