/**
 * Parses frames of the protocol between nodes, with fields separated by `^`: spots (PC11, PC61), WWV reports (PC23) and
 * WCY reports (PC73).
 *
 * @see http://www.dxcluster.org/tech/pcprot.html: the fields.
 */
import type { ClusterLine, Spot, WcyReport, WwvReport } from "./cluster-line.js";
import { readFrequency } from "./frequency-field.js";
import { addDetails, type OpenSpot } from "./spot-comment.js";
import { datedTime, minutesOfDay } from "./spot-time.js";
import { readStation } from "./station-call.js";

const INDEX = /^ *[0-9]{1,4} *$/;
/** IPv4 or IPv6; some nodes write IPv6 with commas instead of colons. */
const ADDRESS = /^[0-9A-F.:,]{2,45}$/i;

/**
 * Parses a frame; `undefined` for another kind of frame, or a damaged one.
 *
 * @param text The line without control characters, trimmed.
 * @param line The original line.
 */
export function decodeFrame(text: string, line: string): ClusterLine | undefined {
  switch (text.slice(0, 5)) {
    case "PC11^":
      return decodeSpotFrame("pc11", fieldsOf(text), line);
    case "PC61^":
      return decodeSpotFrame("pc61", fieldsOf(text), line);
    case "PC23^":
      return decodeWwvFrame(fieldsOf(text), line);
    case "PC73^":
      return decodeWcyFrame(fieldsOf(text), line);
    default:
      return undefined;
  }
}

/** The fields after the type. Several times as fast as `split` on lines that are new to the engine. */
function fieldsOf(text: string): string[] {
  const fields: string[] = [];
  let start = 5;
  for (let end = text.indexOf("^", start); end !== -1; end = text.indexOf("^", start)) {
    fields.push(text.slice(start, end));
    start = end + 1;
  }
  fields.push(text.slice(start));
  return fields;
}

/** `PC11^kHz^dx^date^time^comment^spotter^node^hops^~`; PC61 has the spotter's address after the node. */
function decodeSpotFrame(format: "pc11" | "pc61", fields: readonly string[], line: string): Spot | undefined {
  const [kilohertz = "", heard = "", date = "", clock = "", text = "", by = "", node, address] = fields;
  if (node === undefined || (format === "pc61" && address === undefined)) return undefined;
  const frequency = readFrequency(kilohertz.trim());
  const station = readStation(by);
  const dx = readStation(heard);
  const minutes = clock.endsWith("Z") ? minutesOfDay(clock.slice(0, -1)) : undefined;
  const time = minutes === undefined ? undefined : datedTime(date, minutes);
  if (frequency === undefined || !station || !dx || time === undefined) return undefined;

  const spot: OpenSpot = {
    kind: "spot",
    format,
    spotter: station.call,
    skimmer: station.skimmer,
    frequency,
    dx: dx.call,
    comment: text.trim(),
    time,
    node,
    line,
  };
  if (format === "pc61" && address !== undefined && ADDRESS.test(address))
    spot.ip = address.replaceAll(",", ":");
  return addDetails(spot);
}

/** `PC23^date^hour^flux^A^K^forecast^reporter^node^hops^~` */
function decodeWwvFrame(fields: readonly string[], line: string): WwvReport | undefined {
  const [date = "", hour = "", flux = "", a = "", k = "", forecast = "", by = "", node] = fields;
  const time = hourOf(date, hour);
  const reporter = readStation(by);
  if (time === undefined || node === undefined || !reporter || ![flux, a, k].every(isIndex)) return undefined;
  return {
    kind: "wwv",
    format: "pc23",
    reporter: reporter.call,
    time,
    solarFlux: Number(flux),
    aIndex: Number(a),
    kIndex: Number(k),
    forecast: forecast.trim(),
    node,
    line,
  };
}

/** `PC73^date^hour^flux^A^K^expected K^R^activity^field^aurora^reporter^node^hops^~` */
function decodeWcyFrame(fields: readonly string[], line: string): WcyReport | undefined {
  const [date = "", hour = "", flux = "", a = "", k = "", expected = "", spots = "", ...rest] = fields;
  const [activity = "", field = "", aurora = "", by = "", node] = rest;
  const time = hourOf(date, hour);
  const reporter = readStation(by);
  const indices = [flux, a, k, expected, spots];
  if (time === undefined || node === undefined || !reporter || !indices.every(isIndex)) return undefined;
  return {
    kind: "wcy",
    format: "pc73",
    reporter: reporter.call,
    time,
    solarFlux: Number(flux),
    aIndex: Number(a),
    kIndex: Number(k),
    expectedKIndex: Number(expected),
    sunspots: Number(spots),
    solarActivity: activity.trim(),
    geomagneticField: field.trim(),
    aurora: aurora.trim(),
    node,
    line,
  };
}

function isIndex(field: string): boolean {
  return INDEX.test(field);
}

function hourOf(date: string, hour: string): Date | undefined {
  return isIndex(hour) && Number(hour) < 24 ? datedTime(date, Number(hour) * 60) : undefined;
}
