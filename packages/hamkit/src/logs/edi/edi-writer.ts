/** Writes EDI files: unchanged records of an EDI source verbatim, everything else from the fields. */
import { LogError, ValueError } from "../../errors.js";
import { checkHeader, firstValue, sharedValue, withLines, type HeaderLines } from "../contest-header.js";
import { fieldValue, type Log, type Qso } from "../log.js";
import { ediValue, recordCount } from "./edi-reader.js";
import { parseRecord, RECORD_FIELD, recordFields, recordText, type EdiRecord } from "./edi-record.js";
import { claimLines, isContestLocator, pointsOf } from "./edi-score.js";
import { ediBand, ediMode } from "./edi-tables.js";

export interface EdiOptions {
  readonly header?: HeaderLines | undefined;
  readonly band?: string | undefined;
}

const LINE_END = "\r\n";

/**
 * The log as texts to concatenate.
 *
 * @throws {LogError} A QSO lacks a value, or QSOs belong to several stations, locators, contests or bands.
 * @throws {ValueError} An option is invalid.
 */
export function* writeEdi(log: Log, { header: given = {}, band }: EdiOptions): Generator<string> {
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
  return recordFields(source).every(({ name, value }) => fieldValue(qso, name) === value)
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
