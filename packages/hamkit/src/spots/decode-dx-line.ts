/**
 * Parses spot lines: `DX de CX3BZ:     24915.0  VU2CPL       ft8 -12dB from GF15           1754Z`.
 *
 * The line is parsed by words, not by columns: long calls and frequencies shift the rest to the right, and node programs
 * use different widths.
 */
import { readFrequency, minutesOfDay, nearestTime, readStation } from "./line-fields.js";
import { addDetails, type OpenSpot } from "./spot-comment.js";
import type { Spot } from "./spot.js";

const HEAD = /^DX de /i;
/** Optional fields after the time: the spotter's locator, zone or state. */
const TAIL = /^(?: +[A-Z0-9]{1,6}){0,2} *$/i;
/**
 * A locator, a state, or a zone: behind the time the spotter's, and at the end of the comment's column the DX station's. RR73 is the
 * end of a contact, and no locator.
 */
const COLUMN = /^(?:((?!RR73$)[A-R]{2}[0-9]{2}(?:[A-X]{2})?)|([A-Z]{2})|([0-9]{1,2}))$/i;
const LAST_WORD = / ([A-R]{2}[0-9]{2}|[A-Z]{2}|[0-9]{1,2})$/;
/** Where the comment's column ends in lines of 75 characters and more; free lines are shorter. */
const COMMENT_END = 69;

const BLANK = 32;
const COLON = 58;
const ZERO = 48;

/**
 * Parses a spot; `undefined` for any other line.
 *
 * @param text The line without control characters, trimmed.
 * @param line The original line.
 * @param now Milliseconds since 1970.
 */
export function decodeDxLine(text: string, line: string, now: number): Spot | undefined {
  if (!HEAD.test(text)) return undefined;
  const by = wordAt(text, afterBlanks(text, 6));
  const kilohertz = wordAt(text, afterSeparator(text, by.end));
  const heard = wordAt(text, afterBlanks(text, kilohertz.end));
  const spotter = readStation(by.word);
  const frequency = readFrequency(kilohertz.word);
  const dx = readStation(heard.word);
  const end = findTime(text, heard.end);
  if (!spotter || frequency === undefined || !dx || end === -1) return undefined;
  const minutes = minutesOfDay(text.slice(end - 5, end - 1));
  if (minutes === undefined) return undefined;

  const spot: OpenSpot = {
    kind: "spot",
    format: "dx",
    spotter: spotter.call,
    skimmer: spotter.skimmer,
    frequency,
    dx: dx.call,
    comment: text.slice(heard.end, end - 5).trim(),
    time: nearestTime(minutes, now),
    line,
  };
  const kinds = end < text.length ? addSpotterColumns(spot, text.slice(end)) : [];
  // Mostly a blank stands there, which costs less to see than a pattern.
  if (end - 6 >= COMMENT_END && text.charCodeAt(end - 7) !== BLANK)
    addDxColumn(spot, text.slice(heard.end, end - 6), kinds);
  return addDetails(spot);
}

/** A word as a column. */
type Column = { readonly locator: string } | { readonly state: string } | { readonly zone: number };

function columnOf(word: string): Column | undefined {
  const [, locator, state, zone] = COLUMN.exec(word) ?? [];
  if (locator !== undefined) return { locator: locator.toUpperCase() };
  if (state !== undefined) return { state: state.toUpperCase() };
  // CQ zones end at 40, ITU zones at 90.
  return Number(zone) >= 1 && Number(zone) <= 90 ? { zone: Number(zone) } : undefined;
}

/** Returns the kinds of columns that stand behind the time. */
function addSpotterColumns(spot: OpenSpot, tail: string): readonly string[] {
  const columns = tail.trim().split(/ +/).map(columnOf);
  for (const column of columns) {
    if (column === undefined) continue;
    if ("locator" in column) spot.locator = column.locator;
    else if ("state" in column) spot.spotterState = column.state;
    else spot.spotterZone = column.zone;
  }
  return columns.flatMap((column) => Object.keys(column ?? {}));
}

/**
 * Moves the DX station's column from the end of the comment. A word that touches the time is a column where blanks set it
 * apart from the comment, or where a column of the same kind stands behind the time; else it belongs to a comment that fills
 * its width.
 *
 * @param field The comment with its blanks up to the one before the time.
 */
function addDxColumn(spot: OpenSpot, field: string, spotterKinds: readonly string[]): void {
  const [end = "", word = ""] = LAST_WORD.exec(field) ?? [];
  const column = columnOf(word);
  if (column === undefined) return;
  const comment = field.slice(0, -end.length);
  if (!comment.endsWith(" ") && !spotterKinds.some((kind) => kind in column)) return;
  if ("locator" in column) spot.dxLocator = column.locator;
  else if ("state" in column) spot.dxState = column.state;
  else spot.dxZone = column.zone;
  spot.comment = comment.trim();
}

interface Word {
  readonly word: string;
  /** Index after its last character. */
  readonly end: number;
}

/** The text up to the next blank or colon. */
function wordAt(text: string, start: number): Word {
  let end = start;
  while (end < text.length && text.charCodeAt(end) !== BLANK && text.charCodeAt(end) !== COLON) end++;
  return { word: text.slice(start, end), end };
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === BLANK) at++;
  return at;
}

/** Index after the colon that follows the spotter; a node that truncates long calls may drop the colon. */
function afterSeparator(text: string, start: number): number {
  const at = afterBlanks(text, start);
  return text.charCodeAt(at) === COLON ? afterBlanks(text, at + 1) : at;
}

/** End index of the last time such as `1754Z`, if only optional fields follow; -1 without one. */
function findTime(text: string, from: number): number {
  for (let end = text.length; end >= from + 5; end--) {
    if (isTime(text, end)) return end === text.length || TAIL.test(text.slice(end)) ? end : -1;
  }
  return -1;
}

/** Whether a blank, four digits and a Z end at an index. */
function isTime(text: string, end: number): boolean {
  const last = text[end - 1];
  if ((last !== "Z" && last !== "z") || text.charCodeAt(end - 6) !== BLANK) return false;
  for (let index = end - 5; index < end - 1; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}
