/** Parses QSO lines of Cabrillo files and converts them to ADIF fields. */
import { findBand } from "../../bands/freq-to-band.js";
import { isFullCall } from "../../callsign/form.js";
import type { LogField } from "../log.js";

/** The columns of a QSO line. */
export interface CabrilloQso {
  /** The original line. */
  readonly text: string;
  readonly frequency: string;
  readonly mode: string;
  readonly date: string;
  readonly time: string;
  readonly ownCall: string;
  readonly sent: readonly string[];
  readonly call: string;
  readonly received: readonly string[];
}

/**
 * Parses a QSO line; `undefined` if it has too few words, or none that is the other station's call.
 *
 * The number of words of an exchange depends on the contest, and columns shift. But both stations send the same number, so
 * that the other call is in the middle; an extra word at the end is the transmitter number.
 *
 * @param text The line, beginning with `QSO:`, trimmed.
 */
export function parseQsoLine(text: string): CabrilloQso | undefined {
  const words = text
    .slice(text.indexOf(":") + 1)
    .trimStart()
    .split(/\s+/);
  const [frequency = "", mode = "", date = "", time = "", ownCall = "", ...rest] = words;
  const middle = placeOfCall(rest);
  if (middle < 0) return undefined;
  const behind = rest.slice(middle + 1);
  const hasTransmitter = behind.length === middle + 1 && /^[01]$/.test(behind.at(-1) ?? "");
  return {
    text,
    frequency,
    mode: mode.toUpperCase(),
    date,
    time,
    ownCall,
    sent: rest.slice(0, middle),
    call: rest[middle] ?? "",
    received: hasTransmitter ? behind.slice(0, -1) : behind,
  };
}

/** Index of the other call: the word nearest to the middle that has the form of a call; negative without one. */
function placeOfCall(words: readonly string[]): number {
  const middle = (words.length - 1) >> 1;
  for (let distance = 0; distance <= words.length; distance++) {
    for (const index of [middle - distance, middle + distance]) {
      if (isLikeCall(words[index] ?? "")) return index;
    }
  }
  return -1;
}

function isLikeCall(word: string): boolean {
  return word.toUpperCase().split("/").some(isFullCall);
}

/** ADIF's modes. `DG` may be any digital mode, which ADIF can't express. */
const MODES: ReadonlyMap<string, string> = new Map([
  ["CW", "CW"],
  ["PH", "SSB"],
  ["FM", "FM"],
  ["RY", "RTTY"],
]);

/** Band designators that Cabrillo allows instead of frequencies, with ADIF's names. */
const BANDS: ReadonlyMap<string, string> = new Map([
  ["50", "6m"],
  ["70", "4m"],
  ["144", "2m"],
  ["222", "1.25m"],
  ["432", "70cm"],
  ["902", "33cm"],
  ["1.2G", "23cm"],
  ["2.3G", "13cm"],
  ["3.4G", "9cm"],
  ["5.7G", "6cm"],
  ["10G", "3cm"],
  ["24G", "1.25cm"],
  ["47G", "6mm"],
  ["75G", "4mm"],
  ["119G", "2.5mm"],
  ["122G", "2.5mm"],
  ["123G", "2.5mm"],
  ["134G", "2mm"],
  ["142G", "2mm"],
  ["241G", "1mm"],
  ["300G", "submm"],
]);

/**
 * A QSO line as ADIF fields. `APP_HAMKIT_CABRILLO` holds the whole line, so that no information is lost.
 *
 * @param hasReports Whether exchanges begin with signal reports.
 * @param previous The fields of the previous QSO: equal ones are shared, which saves memory.
 */
export function qsoFields(
  qso: CabrilloQso,
  hasReports: boolean,
  previous: readonly LogField[] = [],
): LogField[] {
  const { sent, received } = qso;
  const from = hasReports ? 1 : 0;
  const fields: LogField[] = [];
  const add = (name: string, value = "", type?: string) => {
    if (value === "") return;
    const before = previous[fields.length];
    fields.push(before?.name === name && before.value === value ? before : { name, value, type });
  };
  add("STATION_CALLSIGN", qso.ownCall.toUpperCase());
  add("CALL", qso.call.toUpperCase());
  add("QSO_DATE", qso.date.replaceAll("-", ""));
  add("TIME_ON", qso.time);
  const { band, megahertz } = frequencyOf(qso.frequency.toUpperCase());
  add("BAND", band);
  add("FREQ", megahertz);
  add("MODE", MODES.get(qso.mode));
  if (hasReports) {
    add("RST_SENT", sent[0]);
    add("RST_RCVD", received[0]);
  }
  add("STX_STRING", sent.slice(from).join(" "));
  add("SRX_STRING", received.slice(from).join(" "));
  add("APP_HAMKIT_CABRILLO", qso.text, "S");
  return fields;
}

/** Band and frequency in MHz, from a frequency in kHz or a band designator. */
function frequencyOf(text: string): { readonly band?: string; readonly megahertz?: string } {
  const band = BANDS.get(text);
  if (band !== undefined) return { band };
  const khz = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const found = findBand(khz);
  return found === undefined ? {} : { band: found.adif, megahertz: String(khz / 1000) };
}
