/** What awards need of a record, read once. */
import type { AdifRecord } from "../../adif/parse-adif.js";
import { ADIF_BANDS } from "../../bands/band-edges.js";
import { findBand } from "../../bands/freq-to-band.js";
import { bandOfRecord } from "../../bands/record-band.js";
import { beginsAsShip, mobileKind } from "../../callsign/mobile.js";
import type { AwardExclusion } from "../rules/award-rule.js";
import { confirmationsOf } from "./confirmations.js";
import { groupedMode, type GroupedMode } from "./mode-group.js";

/** A contact of a log. */
export interface LoggedContact {
  readonly record: AdifRecord;
  /** Index in the log, from 0. */
  readonly index: number;
  /** In upper case. */
  readonly call: string;
  /** The UTC day as a number, 20240630; 0 where the log has none. */
  readonly day: number;
  /** ADIF's name of the band; "" where it is unknown. */
  readonly band: string;
  readonly mode: GroupedMode;
  readonly propagation: "" | "SAT" | "EME";
  /** Bits of the exclusions that apply. */
  readonly exclusions: number;
  /** `WORKED`, and bits of confirmations. */
  readonly confirmations: number;
}

/** The names of the bands, in ascending order of frequency. */
export const BAND_NAMES: readonly string[] = /* @__PURE__ */ ADIF_BANDS.map(({ adif }) => adif);
const BANDS: ReadonlySet<string> = /* @__PURE__ */ new Set(BAND_NAMES);

const EXCLUSION_BITS: Readonly<Record<AwardExclusion, number>> = {
  repeater: 1,
  internet: 2,
  crossBand: 4,
  maritime: 8,
  aeronautical: 16,
};

/** The names of the exclusions. */
export const EXCLUSIONS = /* @__PURE__ */ Object.keys(EXCLUSION_BITS) as readonly AwardExclusion[];

/** The bits of these exclusions. */
export function exclusionMask(exclusions: readonly AwardExclusion[]): number {
  return exclusions.reduce((mask, exclusion) => mask | EXCLUSION_BITS[exclusion], 0);
}

const PROPAGATION_EXCLUSIONS: ReadonlyMap<string, number> = /* @__PURE__ */ new Map([
  ["RPT", EXCLUSION_BITS.repeater],
  ["ECH", EXCLUSION_BITS.internet],
  ["IRL", EXCLUSION_BITS.internet],
  ["INTERNET", EXCLUSION_BITS.internet],
]);

/** Reads a record. */
export function readContact(record: AdifRecord, index: number): LoggedContact {
  const call = upperCase(record["CALL"]);
  const band = bandOf(record);
  const mode = record["PROP_MODE"] === undefined ? "" : upperCase(record["PROP_MODE"]);
  const isSatellite = mode === "SAT" || (mode === "" && hasValue(record["SAT_NAME"]));
  return {
    record,
    index,
    call,
    day: dayNumberOf(record["QSO_DATE"]),
    band,
    mode: groupedMode(record["MODE"], record["SUBMODE"]),
    propagation: isSatellite ? "SAT" : mode === "EME" ? "EME" : "",
    exclusions:
      (PROPAGATION_EXCLUSIONS.get(mode) ?? 0) |
      mobileExclusion(call) |
      (isCrossBand(record, band) && !isSatellite ? EXCLUSION_BITS.crossBand : 0),
    confirmations: confirmationsOf(record),
  };
}

/** The text in upper case without surrounding blanks. */
export function upperCase(text: string | undefined): string {
  if (text === undefined) return "";
  // Most logs have it so already, and toUpperCase copies it in any case.
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= BLANK || (code >= SMALL_A && code <= SMALL_Z) || code > TILDE)
      return text.trim().toUpperCase();
  }
  return text;
}

const BLANK = 0x20;
const SMALL_A = 0x61;
const SMALL_Z = 0x7a;
const TILDE = 0x7e;

function hasValue(text: string | undefined): boolean {
  return text !== undefined && text !== "";
}

function bandOf(record: AdifRecord): string {
  const { BAND: band, FREQ: frequency } = record;
  if (band !== undefined && BANDS.has(band)) return band;
  const name = bandOfRecord(band, frequency);
  return BANDS.has(name) ? name : "";
}

function bandAt(megahertz: string | undefined): string {
  return findBand(Number(megahertz) * 1000)?.adif ?? "";
}

/** Another band on reception. Without BAND_RX its frequency tells, if it is not that of transmission. */
function isCrossBand(record: AdifRecord, band: string): boolean {
  const { BAND_RX: bandRx, FREQ_RX: frequencyRx, FREQ: frequency } = record;
  if (hasValue(bandRx)) return band !== "" && bandRx?.trim().toLowerCase() !== band;
  if (!hasValue(frequencyRx) || frequencyRx === frequency || band === "") return false;
  const other = bandAt(frequencyRx);
  return other !== "" && other !== band;
}

/** Ships and aircraft, by the suffix of the call, of which MM1 to MM3 name the ITU region; and calls of ships. */
function mobileExclusion(call: string): number {
  if (beginsAsShip(call) && mobileKind(call) === "maritime") return EXCLUSION_BITS.maritime;
  if (!call.includes("/")) return 0;
  if (/\/MM[123]?(?:\/|$)/.test(call)) return EXCLUSION_BITS.maritime;
  return /\/AM(?:\/|$)/.test(call) ? EXCLUSION_BITS.aeronautical : 0;
}

/** Whether a contact was made with a ship or an aircraft. */
export function isMobile({ exclusions }: LoggedContact): boolean {
  return (exclusions & (EXCLUSION_BITS.maritime | EXCLUSION_BITS.aeronautical)) !== 0;
}

/** 20240630 of "20240630"; 0 for another text, and for a day that no calendar has. */
export function dayNumberOf(text: string | undefined): number {
  if (text?.length !== 8) return 0;
  let day = 0;
  for (let index = 0; index < 8; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return 0;
    day = day * 10 + digit;
  }
  const month = Math.floor(day / 100) % 100;
  const date = day % 100;
  if (month < 1 || month > 12 || date < 1 || day < 18_000_000) return 0;
  // Most days need no calendar.
  return date <= 28 || date <= lastDate(Math.floor(day / 10_000), month) ? day : 0;
}

function lastDate(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** 20240630 of "2024-06-30". */
export function dayNumberOfDate(date: string): number {
  return dayNumberOf(date.replaceAll("-", ""));
}
