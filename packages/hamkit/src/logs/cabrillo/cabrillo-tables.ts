/** Modes and bands of Cabrillo, in both directions. */
import { findBand } from "../../bands/freq-to-band.js";

/** ADIF's modes. `DG` may be any digital mode, which ADIF can't express. */
const MODES: ReadonlyMap<string, string> = new Map([
  ["CW", "CW"],
  ["PH", "SSB"],
  ["FM", "FM"],
  ["RY", "RTTY"],
]);

/** Modes of ADIF with voice. */
const VOICE: ReadonlySet<string> = new Set(["SSB", "USB", "LSB", "AM", "DIGITALVOICE"]);

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
  ["122G", "2.5mm"],
  ["134G", "2mm"],
  ["241G", "1mm"],
  // designators of older releases, and of some programs
  ["119G", "2.5mm"],
  ["123G", "2.5mm"],
  ["142G", "2mm"],
  ["300G", "submm"],
]);

/** Lower edges in kHz, by which Cabrillo names a shortwave band whose frequency is not known. */
const LOWER_EDGES: ReadonlyMap<string, string> = new Map([
  ["160m", "1800"],
  ["80m", "3500"],
  ["60m", "5330"],
  ["40m", "7000"],
  ["30m", "10100"],
  ["20m", "14000"],
  ["17m", "18068"],
  ["15m", "21000"],
  ["12m", "24890"],
  ["10m", "28000"],
]);

/** ADIF's mode of a mode of Cabrillo; `undefined` if it has none. */
export function modeOfCabrillo(mode: string): string | undefined {
  return MODES.get(mode);
}

/** Cabrillo's mode of a mode of ADIF. */
export function cabrilloMode(mode: string): string {
  const name = mode.toUpperCase();
  if (VOICE.has(name)) return "PH";
  for (const [cabrillo, adif] of MODES) if (adif === name) return cabrillo;
  return "DG";
}

/** Band and frequency in MHz, from a frequency in kHz or a band designator in upper case. */
export function bandOfCabrillo(text: string): { readonly band?: string; readonly megahertz?: string } {
  const band = BANDS.get(text);
  if (band !== undefined) return { band };
  const khz = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const found = findBand(khz);
  return found === undefined ? {} : { band: found.adif, megahertz: String(khz / 1000) };
}

/**
 * The first column of a QSO line: kHz below 30 MHz, and above the designator of the band, as Cabrillo requires.
 *
 * @param megahertz ADIF's FREQ.
 * @param band ADIF's BAND, if the frequency is not known.
 * @returns `undefined` if neither is known.
 */
export function cabrilloFrequency(
  megahertz: string | undefined,
  band: string | undefined,
): string | undefined {
  const khz = megahertz === undefined ? Number.NaN : Number(megahertz) * 1000;
  if (khz > 0 && khz < 30_000) return String(Math.round(khz));
  const name = findBand(khz)?.adif ?? band?.toLowerCase();
  for (const [designator, adif] of BANDS) if (adif === name) return designator;
  return name === undefined ? undefined : LOWER_EDGES.get(name);
}
