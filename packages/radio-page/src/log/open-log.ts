/** The log that is open: its rows, what a filter shows of it, and what could not be read. Runs in a worker. */
import { findBand } from "hamkit/frequency";
import { latlongToLocator } from "hamkit/locator";
import {
  annotateLog,
  fieldValue,
  readLog,
  writeLog,
  type AnnotatedLog,
  type Log,
  type Qso,
} from "hamkit/logs";
import { placeLog, type MapPath, type MapSquare } from "hamkit/map";

import type { AskedStation, Needed } from "../needed/need-words.js";
import { countryTable } from "../worker/country-table.js";

/** A value, and the number of QSOs that have it. */
export interface Count {
  readonly name: string;
  readonly qsos: number;
}

export interface LogOverview {
  readonly name: string;
  readonly format: string;
  readonly qsos: number;
  /** In ascending order of frequency. */
  readonly bands: readonly Count[];
  /** The most used first. */
  readonly modes: readonly Count[];
  /** In the order of their lines, at most `MAX_UNREAD`. */
  readonly unread: readonly UnreadLine[];
  /** Number of all. */
  readonly unreadCount: number;
}

/** What could not be read, or whose station could not be identified. */
export interface UnreadLine {
  /** In the file, from 1. */
  readonly line: number;
  readonly message: string;
}

/** Bands and modes to show; an empty list shows all. */
export interface LogFilter {
  readonly bands: readonly string[];
  readonly modes: readonly string[];
}

export interface ShownLog {
  readonly qsos: number;
  /** The most worked first. */
  readonly entities: readonly Count[];
  readonly cqZones: readonly Count[];
  readonly bands: readonly Count[];
  readonly squares: readonly MapSquare[];
  readonly paths: readonly MapPath[];
}

/** A row of the table; a value that the QSO lacks is "". */
export interface LogRow {
  readonly line: number;
  /** `2024-06-01 12:00` in UTC. */
  readonly time: string;
  readonly call: string;
  readonly band: string;
  readonly mode: string;
  readonly country: string;
  readonly cqz: string;
  readonly ituz: string;
  readonly locator: string;
  readonly distanceKm: string;
  readonly heading: string;
  /** The locator of its coordinates, where the QSO has these instead of a locator. */
  readonly coordinates?: string | undefined;
}

interface OpenLog {
  readonly log: Log;
  /** The own one, for a log that has none. */
  readonly locator: string | undefined;
  readonly bands: readonly string[];
  readonly bandOrder: readonly string[];
  readonly modes: readonly string[];
  readonly shown: readonly number[];
}

const MAX_UNREAD = 1000;
/** More than there are entities: only a damaged log has more different values. */
const MAX_COUNTS = 400;
/** More than a map can show. */
const MAX_PATHS = 20_000;

let open: OpenLog | undefined;

/**
 * Reads and annotates a log, and shows all of it.
 *
 * @param locator The own one. That of the log applies where a QSO has one.
 */
export async function openLog(
  content: ArrayBuffer,
  name: string,
  locator: string | undefined,
): Promise<LogOverview> {
  const read = await readLog(new Uint8Array(content), { name });
  const hasOwn = read.qsos.some((qso) => fieldValue(qso, "MY_GRIDSQUARE") !== undefined);
  const from = hasOwn ? undefined : locator;
  const annotated = annotateLog(read, { table: await countryTable(), locator: from });
  const { log, summary } = annotated;
  const bands = log.qsos.map(bandOf);
  const modes = log.qsos.map(modeOf);
  const bandOrder = summary.bands.map(({ band }) => band);
  const shown = log.qsos.map((_, index) => index);
  open = { log, locator: from, bands, modes, bandOrder, shown };
  return {
    name,
    format: log.format,
    qsos: log.qsos.length,
    bands: inOrder(counted(bands), bandOrder),
    modes: byNumber(counted(modes)),
    ...unreadIn(annotated),
  };
}

/** Shows a part of the log. */
export async function filterLog({ bands, modes }: LogFilter): Promise<ShownLog> {
  const all = requireOpen();
  const shown =
    all.shown.length === all.log.qsos.length && bands.length + modes.length === 0
      ? all.shown
      : all.bands.flatMap((band, index) =>
          matches(bands, band) && matches(modes, all.modes[index]) ? [index] : [],
        );
  open = { ...all, shown };
  const qsos = qsosShown(open);
  const values = (name: string) => qsos.map((qso) => fieldValue(qso, name) ?? "");
  const { squares, paths } = await placeLog({ qsos }, { table: await countryTable(), locator: all.locator });
  return {
    qsos: qsos.length,
    entities: byNumber(counted(values("COUNTRY"))),
    cqZones: counted(values("CQZ")).sort((a, b) => Number(a.name) - Number(b.name)),
    bands: inOrder(counted(shown.map((index) => all.bands[index] ?? "")), all.bandOrder),
    squares,
    paths: paths.slice(0, MAX_PATHS),
  };
}

/** The rows of the table from an index to another, which is not included. */
export function readRows(from: number, to: number): LogRow[] {
  const { log, shown, bands, modes } = requireOpen();
  return shown.slice(from, to).flatMap((index) => {
    const qso = log.qsos[index];
    return qso === undefined ? [] : [rowOf(qso, bands[index] ?? "", modes[index] ?? "")];
  });
}

/** The shown part as a file. */
export function writeShown(format: "adi" | "csv"): Uint8Array {
  const all = requireOpen();
  const isWhole = all.shown.length === all.log.qsos.length;
  return writeLog(isWhole ? all.log : { ...all.log, qsos: qsosShown(all) }, { format });
}

/** What stations would be for the awards of the log. The rules are loaded when they are asked about first. */
export async function needsOfOpenLog(stations: readonly AskedStation[]): Promise<Needed[][]> {
  const { log } = requireOpen();
  const { needsOfLog } = await import("../needed/log-needs.js");
  return needsOfLog(log, stations);
}

function matches(wanted: readonly string[], value = ""): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

function requireOpen(): OpenLog {
  if (open === undefined) throw new Error("no log is open");
  return open;
}

function qsosShown({ log, shown }: OpenLog): Qso[] {
  return shown.flatMap((index) => log.qsos[index] ?? []);
}

function rowOf(qso: Qso, band: string, mode: string): LogRow {
  const value = (name: string) => fieldValue(qso, name) ?? "";
  const [, year = "", month = "", day = ""] = /^(\d{4})(\d\d)(\d\d)$/.exec(value("QSO_DATE")) ?? [];
  const [, hour = "", minute = ""] = /^(\d\d)(\d\d)/.exec(value("TIME_ON")) ?? [];
  const date = day === "" ? value("QSO_DATE") : `${year}-${month}-${day}`;
  return {
    line: qso.line,
    time: minute === "" ? date : `${date} ${hour}:${minute}`,
    call: value("CALL"),
    band,
    mode,
    country: value("COUNTRY"),
    cqz: value("CQZ"),
    ituz: value("ITUZ"),
    locator: value("GRIDSQUARE"),
    distanceKm: value("DISTANCE"),
    heading: value("APP_HAMKIT_HEADING"),
    coordinates: value("GRIDSQUARE") === "" ? locatorOf(value("LAT"), value("LON")) : undefined,
  };
}

/** Of coordinates as ADIF has them, `N048 31.250` and `E009 22.500`: exact to some meters. */
function locatorOf(latitude: string, longitude: string): string | undefined {
  const [degreesNorth, degreesEast] = [latitude, longitude].map((text) => {
    const [, direction = "", degrees, minutes] = /^([NSEW])(\d{3}) (\d\d\.\d{3})$/i.exec(text) ?? [];
    return (Number(degrees) + Number(minutes) / 60) * (/[SW]/i.test(direction) ? -1 : 1);
  });
  const isPlace = Math.abs(degreesNorth ?? Number.NaN) <= 90 && Math.abs(degreesEast ?? Number.NaN) <= 180;
  return isPlace ? latlongToLocator(degreesNorth ?? 0, degreesEast ?? 0, 10) : undefined;
}

/** The band of a QSO, or of its frequency. */
function bandOf(qso: Qso): string {
  const band = fieldValue(qso, "BAND");
  if (band !== undefined) return band.toLowerCase();
  return findBand(Number(fieldValue(qso, "FREQ") ?? Number.NaN) * 1000)?.adif ?? "";
}

/** The mode as people name it: FT4 is a submode of MFSK in ADIF, USB one of SSB. */
function modeOf(qso: Qso): string {
  const mode = (fieldValue(qso, "MODE") ?? "").toUpperCase();
  const submode = fieldValue(qso, "SUBMODE");
  return mode === "MFSK" && submode !== undefined ? submode.toUpperCase() : mode;
}

function unreadIn({ problems, problemCount, unidentified }: AnnotatedLog) {
  const unread = [
    ...problems.map(({ line, message }) => ({ line, message })),
    ...unidentified
      .slice(0, MAX_UNREAD)
      .map(({ line, call, reason }) => ({ line, message: REASONS[reason](call) })),
  ];
  return {
    unread: unread.sort((a, b) => a.line - b.line).slice(0, MAX_UNREAD),
    unreadCount: problemCount + unidentified.length,
  };
}

const REASONS = {
  unknown: (call: string) => `${call}: no country has this prefix`,
  "invalid-operation": (call: string) => `${call}: an operation that doesn't count for DXCC`,
  "no-call": () => "the QSO has no call",
};

/** How often each value occurs; "" is none. */
function counted(values: readonly string[]): Count[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([name, qsos]) => ({ name, qsos }));
}

function byNumber(counts: readonly Count[]): Count[] {
  return counts.toSorted((a, b) => b.qsos - a.qsos || (a.name < b.name ? -1 : 1)).slice(0, MAX_COUNTS);
}

function inOrder(counts: readonly Count[], order: readonly string[]): Count[] {
  return counts.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)).slice(0, MAX_COUNTS);
}
