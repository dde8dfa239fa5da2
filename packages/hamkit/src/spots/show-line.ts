/** Parses results of `show/dx`: `14250.0 IZ3WUW      14-Mar-2026 1429Z FT8 -12dB             <EA4K>`. */
import type { Spot } from "./cluster-line.js";
import { readFrequency } from "./frequency-field.js";
import { addDetails, type OpenSpot } from "./spot-comment.js";
import { datedTime, minutesOfDay } from "./spot-time.js";
import { readStation } from "./station-call.js";

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
export function decodeShowLine(text: string, line: string): Spot | undefined {
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
