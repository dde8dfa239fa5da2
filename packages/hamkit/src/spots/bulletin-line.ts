/** Parses the lines of a cluster node other than spots: WWV and WCY (DK0WCY) reports, announcements and messages. */
import type { Announcement, TalkLine, WcyReport, WwvReport } from "./cluster-line.js";
import { nearestTime } from "./spot-time.js";
import { CALL } from "./station-call.js";

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
export function decodeWwvLine(text: string, line: string, now: number): WwvReport | undefined {
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
export function decodeWcyLine(text: string, line: string, now: number): WcyReport | undefined {
  const [, reporter, hour, report = ""] = WCY.exec(text) ?? [];
  if (reporter === undefined || Number(hour) > 23) return undefined;
  const values = new Map(
    [...report.matchAll(VALUE)].map(([, name = "", value = ""]) => [name.toUpperCase(), value]),
  );
  const [k, expected, a, spots, flux] = ["K", "EXPK", "A", "R", "SFI"].map((name) => index(values.get(name)));
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
export function decodeAnnouncement(text: string, line: string): Announcement | undefined {
  const [, to, weather, from, message = ""] = ANNOUNCEMENT.exec(text) ?? [];
  if (from === undefined) return undefined;
  const target = to ?? weather ?? "";
  return { kind: "announcement", from: from.toUpperCase(), to: target.toUpperCase(), text: message, line };
}

/** Parses a message to one user; `undefined` for any other line. */
export function decodeTalk(text: string, line: string): TalkLine | undefined {
  const [, to, from, message = ""] = TALK.exec(text) ?? [];
  if (to === undefined || from === undefined) return undefined;
  return { kind: "talk", from: from.toUpperCase(), to: to.toUpperCase(), text: message, line };
}

function index(value: string | undefined): number | undefined {
  return value !== undefined && /^[0-9]{1,4}$/.test(value) ? Number(value) : undefined;
}
