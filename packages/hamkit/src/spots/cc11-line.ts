/**
 * Parses spots of CC Cluster, which DXSpider sends too after `set/ve7cc`:
 * `CC11^14197.0^R7DN^27-Feb-2019^1628Z^59+9^PI3CQ^179^139^EA7URM-5^30^16^27^14^^^Eur-Russia-UA^Netherlands-PA^^`.
 *
 * Columns are read by position. Programs that imitate the format have fewer of them, CC Cluster has more.
 */
import type { Spot } from "./cluster-line.js";
import { readFrequency } from "./frequency-field.js";
import { addDetails, type OpenSpot } from "./spot-comment.js";
import { datedTime, minutesOfDay } from "./spot-time.js";
import { readStation } from "./station-call.js";

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
export function decodeCc11Line(text: string, line: string): Spot | undefined {
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
