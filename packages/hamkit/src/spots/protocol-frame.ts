/**
 * Parses frames of the protocol between nodes, with fields separated by `^`: spots (PC11, PC26, PC61), announcements and
 * messages (PC10, PC12, PC93), WWV reports (PC23, PC27) and WCY reports (PC73).
 *
 * @see http://www.dxcluster.org/tech/pcprot.html: the fields.
 */
import { readFrequency, datedTime, minutesOfDay, readStation } from "./line-fields.js";
import { addDetails, type OpenSpot } from "./spot-comment.js";
import type { Announcement, ClusterLine, Spot, TalkLine, WcyReport, WwvReport } from "./spot.js";

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
    case "PC26^":
      return decodeSpotFrame("pc26", fieldsOf(text), line);
    case "PC61^":
      return decodeSpotFrame("pc61", fieldsOf(text), line);
    case "PC10^":
      return decodeTalkFrame(fieldsOf(text), line);
    case "PC12^":
      return decodeAnnouncementFrame(fieldsOf(text), line);
    case "PC93^":
      return decodeMessageFrame(fieldsOf(text), line);
    case "PC23^":
      return decodeWwvFrame("pc23", fieldsOf(text), line);
    case "PC27^":
      return decodeWwvFrame("pc27", fieldsOf(text), line);
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

/**
 * `PC11^kHz^dx^date^time^comment^spotter^node^hops^~`; PC61 has the spotter's address after the node, PC26, which merges old
 * spots, a blank instead of the hops.
 */
function decodeSpotFrame(
  format: "pc11" | "pc26" | "pc61",
  fields: readonly string[],
  line: string,
): Spot | undefined {
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
  const hops = hopsOf(fields[format === "pc61" ? 8 : 7]);
  if (hops >= 0) spot.hops = hops;
  return addDetails(spot);
}

/** The number of `H95`; NaN for any other field. */
function hopsOf(field: string | undefined): number {
  const isCount = field !== undefined && field.length > 1 && field.length < 5 && field[0] === "H";
  return isCount ? Number(field.slice(1)) : Number.NaN;
}

/** `PC12^from^to^text^sysop^node^weather^hops^~` */
function decodeAnnouncementFrame(fields: readonly string[], line: string): Announcement | undefined {
  const [by = "", to = "", text = "", , node] = fields;
  const from = readStation(by.trim());
  const target = recipient(to);
  if (!from || target === undefined || node === undefined || text.trim() === "") return undefined;
  return { kind: "announcement", from: from.call, to: target, text: text.trim(), node: node.trim(), line };
}

/** `PC93^node^time^to^from^via^text^node of from^address^hops^`: to all (`*`), to a group, or to one user. */
function decodeMessageFrame(fields: readonly string[], line: string): Announcement | TalkLine | undefined {
  const [, , to = "", by = "", , text = ""] = fields;
  const from = readStation(by.trim());
  const target = recipient(to);
  if (!from || target === undefined || text.trim() === "") return undefined;
  const message = { from: from.call, to: target, text: text.trim(), line };
  // Groups such as SYSOP and WX have no digit.
  return /[0-9]/.test(target) ? { kind: "talk", ...message } : { kind: "announcement", ...message };
}

/** `PC10^from^to^text^bell^to behind a node^node of from^~` */
function decodeTalkFrame(fields: readonly string[], line: string): TalkLine | undefined {
  const [by = "", via = "", text = "", , beyond = ""] = fields;
  const from = readStation(by.trim());
  const to = readStation(beyond.trim()) ?? readStation(via.trim());
  if (!from || !to || fields.length < 6 || text.trim() === "") return undefined;
  return { kind: "talk", from: from.call, to: to.call, text: text.trim(), line };
}

/** `*` for all, or a call or group in upper case. */
function recipient(field: string): string | undefined {
  const to = field.trim();
  return to === "*" || to === "" ? "*" : readStation(to)?.call;
}

/** `PC23^date^hour^flux^A^K^forecast^reporter^node^hops^~`; PC27 merges old reports. */
function decodeWwvFrame(
  format: "pc23" | "pc27",
  fields: readonly string[],
  line: string,
): WwvReport | undefined {
  const [date = "", hour = "", flux = "", a = "", k = "", forecast = "", by = "", node] = fields;
  const time = hourOf(date, hour);
  const reporter = readStation(by);
  if (time === undefined || node === undefined || !reporter || ![flux, a, k].every(isIndex)) return undefined;
  return {
    kind: "wwv",
    format,
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
