/** Decodes lines of a DX cluster. */
import { ArgumentTypeError } from "../errors.js";
import { momentOf } from "../lookup/identify.js";
import { decodeDxLine } from "./decode-dx-line.js";
import { readFrequency, datedTime, minutesOfDay, nearestTime, readStation, CALL } from "./line-fields.js";
import { decodeFrame } from "./protocol-frame.js";
import { addDetails, type OpenSpot } from "./spot-comment.js";
import type { ClusterLine, Spot, Announcement, TalkLine, WcyReport, WwvReport } from "./spot.js";

/** Options for one line. */
export interface DecodeSpotOptions {
  /** When the line was received, for lines without a date; default: now. */
  readonly now?: Date | null | undefined;
}

/** Options for a stream of lines. */
export interface DecodeSpotsOptions {
  /** Returns the time at which a line is received; default: the system clock. */
  readonly clock?: () => Date;
}

/**
 * Decodes a line of a DX cluster: a spot, a report of solar activity, an announcement, a message, or an unknown line.
 *
 * Supported are `DX de` lines of the common node programs and of skimmers (`W3LPL-#`), CC11 lines, results of `show/dx`,
 * PC11, PC26 and PC61 frames, WWV and WCY lines and their frames PC23, PC27 and PC73, announcements (`To ALL de`, PC12, PC93)
 * and messages to one user (`DH1TW de W1AW:`, PC10, PC93). A `DX de` line has no date: the moment nearest to `now` is assumed,
 * at most 12 hours away. A line without a time is not a spot.
 *
 * @param line One line, with or without its line end. Damaged lines, lines of more than 1000 characters and any other
 *   content are `"unknown"`. Control characters, which could control a terminal, are replaced by blanks.
 * @throws {ArgumentTypeError} The line is not a string.
 * @throws {ValueError} `now` is not a valid date.
 * @example
 * const now = new Date("2024-03-01T12:01:00Z");
 * const spot = decodeSpot("DX de W3LPL-#:   14025.0  DL1ABC         CW    20 dB  25 WPM  CQ      1200Z", { now });
 * spot.kind === "spot" && [spot.spotter, spot.skimmer, spot.frequency, spot.dx]; // => ["W3LPL", true, 14025, "DL1ABC"]
 * spot.kind === "spot" && [spot.mode, spot.snr, spot.wpm]; // => ["CW", 20, 25]
 * spot.kind === "spot" && spot.time.toISOString(); // => "2024-03-01T12:00:00.000Z"
 */
export function decodeSpot(line: string, options?: DecodeSpotOptions): ClusterLine {
  if (typeof line !== "string") {
    throw new ArgumentTypeError({ argument: "line", value: line, expected: "a string" });
  }
  const now = momentOf(options?.now, "now");
  if (line.length > MAX_LINE_LENGTH) return { kind: "unknown", line };
  return decodeText(printable(line), line, now) ?? { kind: "unknown", line };
}

/**
 * Decodes a stream of lines in their order: one result per line, unknown ones included.
 *
 * @param lines An iterable such as Node's `readline` interface, or an array. Reading stops when the consumer stops.
 * @throws {ArgumentTypeError} `lines` is a string, or contains something else than strings.
 * @throws {ValueError} The clock returns an invalid date.
 * @example
 * const kinds: string[] = [];
 * for await (const { kind } of decodeSpots(["login:", "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms"])) {
 *   kinds.push(kind);
 * }
 * kinds; // => ["unknown", "wwv"]
 */
export async function* decodeSpots(
  lines: AsyncIterable<string> | Iterable<string>,
  { clock = () => new Date() }: DecodeSpotsOptions = {},
): AsyncGenerator<ClusterLine, void, undefined> {
  // A string is an iterable of its characters.
  if (typeof lines === "string") {
    throw new ArgumentTypeError({ argument: "lines", value: lines, expected: "an iterable of lines" });
  }
  for await (const line of lines) yield decodeSpot(line, { now: clock() });
}

/** Cluster lines have about 80 characters, frames up to 250. */
const MAX_LINE_LENGTH = 1000;

/** Control characters, bidirectional formatting characters and line separators. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function printable(line: string): string {
  const text = CONTROL.test(line) ? line.replaceAll(new RegExp(CONTROL, "g"), " ") : line;
  return text.trim();
}

function decodeText(text: string, line: string, now: number): ClusterLine | undefined {
  return decodeByStart(text, line, now) ?? decodeShowLine(text, line) ?? decodeTalk(text, line);
}

/** A line of a kind that begins with a word of its own. */
function decodeByStart(text: string, line: string, now: number): ClusterLine | undefined {
  switch (text[0]) {
    case "D":
    case "d":
      return decodeDxLine(text, line, now);
    case "C":
      return text.startsWith("CC11^") ? decodeCc11Line(text, line) : undefined;
    case "P":
      return decodeFrame(text, line);
    case "W":
    case "w":
      return (
        decodeWwvLine(text, line, now) ?? decodeWcyLine(text, line, now) ?? decodeAnnouncement(text, line)
      );
    case "T":
    case "t":
      return decodeAnnouncement(text, line);
    default:
      return undefined;
  }
}

/** Frequency, station, date and time. */
const HEAD = /^([0-9.,]{1,14}) +(\S{1,24}) +([0-9]{1,2}-[A-Z]{3}-[0-9]{4}) +([0-9]{4})Z(?= )/i;
/** Optional fields after the spotter, as after the time of a `DX de` line. */
const TAIL = /^(?: +[A-Z0-9]{1,6}){0,2} *$/i;

/**
 * Parses a spot; `undefined` for any other line.
 *
 * @param text The line without control characters, trimmed.
 * @param line The original line.
 */
function decodeShowLine(text: string, line: string): Spot | undefined {
  const [head, kilohertz = "", heard = "", date = "", clock = ""] = HEAD.exec(text) ?? [];
  if (head === undefined) return undefined;
  // A comment can have angle brackets of its own.
  const [start, end] = [text.lastIndexOf("<"), text.lastIndexOf(">")];
  if (start < head.length || end < start || !TAIL.test(text.slice(end + 1))) return undefined;
  const frequency = readFrequency(kilohertz);
  const dx = readStation(heard);
  const spotter = readStation(text.slice(start + 1, end));
  const minutes = minutesOfDay(clock);
  const time = minutes === undefined ? undefined : datedTime(date, minutes);
  if (frequency === undefined || !dx || !spotter || time === undefined) return undefined;
  const spot: OpenSpot = {
    kind: "spot",
    format: "show",
    spotter: spotter.call,
    skimmer: spotter.skimmer,
    frequency,
    dx: dx.call,
    comment: text.slice(head.length, start).trim(),
    time,
    line,
  };
  return addDetails(spot);
}

// Parses the lines of a cluster node other than spots: WWV and WCY (DK0WCY) reports, announcements and messages.

/** `WWV de VE7CC <18Z> :   SFI=120, A=5, K=2, No Storms -> No Storms` */
const WWV = new RegExp(
  `^WWV de +(${CALL}) *<([0-9]{2})Z?> *: *SFI=([0-9]{1,4}), *A=([0-9]{1,4}), *K=([0-9]{1,2})(?:, *(.*))?$`,
  "i",
);

/** `WCY de DK0WCY-1 <22> : K=4 expK=2 A=14 R=0 SFI=68 SA=qui GMF=act Au=no` */
const WCY = new RegExp(`^WCY de +(${CALL}) *<([0-9]{2})Z?> *: *(.*)$`, "i");

/** One of its values. `\b` keeps the match linear: a long word is not tried from each of its letters. */
const VALUE = /\b([A-Z]{1,8})=(\S+)/gi;

/** `To ALL de DH1TW: hello`, `To LOCAL de DH1TW <1200Z> : hello`, `WX de G3XYZ: rain` */
const ANNOUNCEMENT = new RegExp(
  `^(?:To +([A-Z0-9#/-]{1,20})|(WX)) +de +(${CALL}) *(?:<[0-9]{4}Z?>)? *: *(.*)$`,
  "i",
);

/** `DH1TW de W1AW: hello`, `DH1TW de W1AW <1200Z> : hello`; calls, so with a digit. */
const TALK = new RegExp(
  `^(?=[A-Z/-]*[0-9])(${CALL}) +de +(?=[A-Z/-]*[0-9])(${CALL}) *(?:<[0-9]{4}Z?>)? *: *(\\S.*)$`,
  "i",
);

/**
 * Parses a WWV report; `undefined` for any other line.
 *
 * @param text The line without control characters, trimmed.
 * @param line The original line.
 * @param now Milliseconds since 1970.
 */
function decodeWwvLine(text: string, line: string, now: number): WwvReport | undefined {
  const [, reporter, hour, flux, a, k, forecast = ""] = WWV.exec(text) ?? [];
  if (reporter === undefined || Number(hour) > 23) return undefined;
  return {
    kind: "wwv",
    format: "wwv",
    reporter: reporter.toUpperCase(),
    time: nearestTime(Number(hour) * 60, now),
    solarFlux: Number(flux),
    aIndex: Number(a),
    kIndex: Number(k),
    forecast,
    line,
  };
}

/** Parses a WCY report; `undefined` for any other line. */
function decodeWcyLine(text: string, line: string, now: number): WcyReport | undefined {
  const [, reporter, hour, report = ""] = WCY.exec(text) ?? [];
  if (reporter === undefined || Number(hour) > 23) return undefined;
  const values = new Map(
    [...report.matchAll(VALUE)].map(([, name = "", value = ""]) => [name.toUpperCase(), value]),
  );
  const [k, expected, a, spots, flux] = ["K", "EXPK", "A", "R", "SFI"].map((name) =>
    indexOf(values.get(name)),
  );
  if (k === undefined || expected === undefined || a === undefined) return undefined;
  if (spots === undefined || flux === undefined) return undefined;
  return {
    kind: "wcy",
    format: "wcy",
    reporter: reporter.toUpperCase(),
    time: nearestTime(Number(hour) * 60, now),
    solarFlux: flux,
    aIndex: a,
    kIndex: k,
    expectedKIndex: expected,
    sunspots: spots,
    solarActivity: values.get("SA") ?? "",
    geomagneticField: values.get("GMF") ?? "",
    aurora: values.get("AU") ?? "",
    line,
  };
}

/** Parses an announcement; `undefined` for any other line. */
function decodeAnnouncement(text: string, line: string): Announcement | undefined {
  const [, to, weather, from, message = ""] = ANNOUNCEMENT.exec(text) ?? [];
  if (from === undefined) return undefined;
  const target = to ?? weather ?? "";
  return { kind: "announcement", from: from.toUpperCase(), to: target.toUpperCase(), text: message, line };
}

/** Parses a message to one user; `undefined` for any other line. */
function decodeTalk(text: string, line: string): TalkLine | undefined {
  const [, to, from, message = ""] = TALK.exec(text) ?? [];
  if (to === undefined || from === undefined) return undefined;
  return { kind: "talk", from: from.toUpperCase(), to: to.toUpperCase(), text: message, line };
}

function indexOf(value: string | undefined): number | undefined {
  return value !== undefined && /^[0-9]{1,4}$/.test(value) ? Number(value) : undefined;
}

// Parses spots of CC Cluster, which DXSpider sends too after `set/ve7cc`:
// `CC11^14197.0^R7DN^27-Feb-2019^1628Z^59+9^PI3CQ^179^139^EA7URM-5^30^16^27^14^^^Eur-Russia-UA^Netherlands-PA^^`.
//
// Columns are read by position. Programs that imitate the format have fewer of them, CC Cluster has more.

/** Columns up to the spotter's locator; those behind it are not read. */
const MAX_COLUMNS = 20;

/** The columns after the node, and how each is read. */
const DETAILS: readonly (readonly [name: keyof Spot, read: (text: string) => string | number | undefined])[] =
  [
    ["dxItuz", zone(90)],
    ["dxCqz", zone(40)],
    ["spotterItuz", zone(90)],
    ["spotterCqz", zone(40)],
    ["dxState", textThat(/^[A-Z]{2}$/)],
    ["spotterState", textThat(/^[A-Z]{2}$/)],
    ["dxEntity", textThat(/^(?=.*[A-Z]).{1,60}$/i)],
    ["spotterEntity", textThat(/^(?=.*[A-Z]).{1,60}$/i)],
    ["dxLocator", locator],
    ["locator", locator],
  ];

/**
 * Parses a spot; `undefined` for any other line.
 *
 * @param text The line without control characters, trimmed.
 * @param line The original line.
 */
function decodeCc11Line(text: string, line: string): Spot | undefined {
  const [, kilohertz = "", heard = "", date = "", clock = "", comment = "", by = "", ...rest] = text.split(
    "^",
    MAX_COLUMNS,
  );
  // Two numbers follow, whose meaning depends on the node.
  const [, , at = "", ...details] = rest;
  const frequency = readFrequency(kilohertz.trim());
  const dx = readStation(heard.trim());
  const spotter = readStation(by.trim());
  const minutes = clock.endsWith("Z") ? minutesOfDay(clock.slice(0, -1)) : undefined;
  const time = minutes === undefined ? undefined : datedTime(date, minutes);
  if (frequency === undefined || !dx || !spotter || time === undefined) return undefined;
  const node = readStation(at.trim())?.call;
  const spot: OpenSpot = {
    kind: "spot",
    format: "cc11",
    spotter: spotter.call,
    skimmer: spotter.skimmer,
    frequency,
    dx: dx.call,
    comment: comment.trim(),
    time,
    line,
  };
  // Where the column is missing, the next one is a number.
  if (node !== undefined && /[A-Z]/.test(node)) spot.node = node;
  for (const [index, [name, read]] of DETAILS.entries()) {
    const value = read(details[index]?.trim() ?? "");
    if (value !== undefined) Object.assign(spot, { [name]: value });
  }
  return addDetails(spot);
}

function zone(max: number): (text: string) => number | undefined {
  return (text) => {
    const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : 0;
    return value >= 1 && value <= max ? value : undefined;
  };
}

function textThat(pattern: RegExp): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? text : undefined);
}

/** RR73 is the end of a contact. */
function locator(text: string): string | undefined {
  return /^(?!RR73$)[A-R]{2}[0-9]{2}(?:[A-X]{2})?$/i.test(text) ? text.toUpperCase() : undefined;
}
