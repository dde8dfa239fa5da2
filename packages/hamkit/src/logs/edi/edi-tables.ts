/** Bands and modes of EDI files, in both directions. */
import { ADIF_BANDS } from "../../bands/band-edges.js";
import { findBand } from "../../bands/freq-to-band.js";

/** Names of bands in EDI, by ADIF's names. Programs also write 145 MHz and 435 MHz, and points instead of commas. */
const BANDS: ReadonlyMap<string, string> = new Map([
  ["6m", "50 MHz"],
  ["4m", "70 MHz"],
  ["2m", "144 MHz"],
  ["70cm", "432 MHz"],
  ["23cm", "1,3 GHz"],
  ["13cm", "2,3 GHz"],
  ["9cm", "3,4 GHz"],
  ["6cm", "5,7 GHz"],
  ["3cm", "10 GHz"],
  ["1.25cm", "24 GHz"],
  ["6mm", "47 GHz"],
  ["4mm", "76 GHz"],
  ["2.5mm", "120 GHz"],
  ["2mm", "144 GHz"],
  ["1mm", "248 GHz"],
]);

/** ADIF's modes by mode code; codes 3 and 4 are SSB and CW as sent, and the other one as received. */
const MODES = ["", "SSB", "CW", "SSB", "CW", "AM", "FM", "RTTY", "SSTV", "ATV"];

/** The name of a band in EDI, by ADIF's name; `undefined` for shortwave bands, which EDI does not have. */
export function ediBand(band: string): string | undefined {
  return BANDS.get(band.toLowerCase());
}

/** ADIF's name of the band in a PBand line, such as `144 MHz` or `1,3 GHz`; programs also write `2m`, `144`, `1296`. */
export function bandOfEdi(text: string): string | undefined {
  const word = text.replaceAll(/\s+/g, "").toLowerCase();
  const named = ADIF_BANDS.find(({ adif }) => adif === word.replace(",", "."))?.adif;
  if (named !== undefined) return named;
  const [, figure = "", unit = "m"] = /^(\d{1,7}(?:[.,]\d{1,6})?)(?:([kmg])(?:hz)?)?$/.exec(word) ?? [];
  const khz = Number(figure.replace(",", ".")) * ({ k: 1, m: 1000, g: 1_000_000 }[unit] ?? 1);
  return figure === "" ? undefined : (findBand(khz)?.adif ?? NOMINAL.get(Math.round(khz / 1000)));
}

/** Figures in MHz that programs write for a band, and that lie outside of it. */
const NOMINAL: ReadonlyMap<number, string> = new Map([
  [1200, "23cm"],
  [2200, "13cm"],
  [5600, "6cm"],
  [75_000, "4mm"],
  [142_000, "2mm"],
]);

/** ADIF's mode of a mode code; `undefined` for none and for 0, which is another mode. */
export function modeOfEdi(code: string): string | undefined {
  return MODES[isEdiMode(code) ? Number(code) : 0] || undefined;
}

/** Whether a text is a mode code; it may be missing. */
export function isEdiMode(code: string): boolean {
  return /^\d?$/.test(code);
}

/** The mode code of ADIF's mode: 0 for a mode without one, "" without a mode. */
export function ediMode(mode: string | undefined): string {
  if (mode === undefined) return "";
  const name = /^[UL]SB$/i.test(mode) ? "SSB" : mode.toUpperCase();
  return String(Math.max(MODES.indexOf(name), 0));
}
