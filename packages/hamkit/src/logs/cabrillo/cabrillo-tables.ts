/** Modes and bands of Cabrillo, in both directions. */
import { ADIF_BANDS } from "../../bands/band-edges.js";
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

/** What programs write instead of Cabrillo's modes, with ADIF's mode and submode. */
const OTHER_MODES: readonly (readonly [words: string, mode: string, submode?: string])[] = [
  ["CW-U CW-L CW-R CWU CWL CWR A1A", "CW"],
  ["SSB PHONE VOICE J3E", "SSB"],
  ["USB", "SSB", "USB"],
  ["LSB", "SSB", "LSB"],
  ["AM AM-N", "AM"],
  ["FM-N FMN NFM WFM FM-W F3E", "FM"],
  ["RTTY RTTY-R RTTY-U RTTY-L FSK FSK-R RY-R", "RTTY"],
  ["FT8", "FT8"],
  ["FT4", "MFSK", "FT4"],
  ["FT2", "MFSK", "FT2"],
  ["JS8", "MFSK", "JS8"],
  ["Q65", "MFSK", "Q65"],
  ["FST4", "MFSK", "FST4"],
  ["MFSK", "MFSK"],
  ["MFSK16", "MFSK", "MFSK16"],
  ["JT65", "JT65"],
  ["JT9", "JT9"],
  ["JT4", "JT4"],
  ["MSK144", "MSK144"],
  ["PSK BPSK", "PSK"],
  ["PSK31 BPSK31", "PSK", "PSK31"],
  ["PSK63 BPSK63", "PSK", "PSK63"],
  ["PSK125 BPSK125", "PSK", "PSK125"],
  ["QPSK31", "PSK", "QPSK31"],
  ["OLIVIA", "OLIVIA"],
  ["CONTESTI CONTESTIA", "CONTESTI"],
  ["HELL", "HELL"],
  ["SSTV", "SSTV"],
  ["ATV", "ATV"],
  ["FAX", "FAX"],
  ["DSTAR D-STAR DV", "DIGITALVOICE", "DSTAR"],
  ["DMR", "DIGITALVOICE", "DMR"],
  ["C4FM", "DIGITALVOICE", "C4FM"],
];
const MODES_BY_WORD: ReadonlyMap<string, CabrilloMode> = new Map([
  ...Array.from(MODES, ([word, mode]) => [word, { mode }] as const),
  ...OTHER_MODES.flatMap(([words, mode, submode]) =>
    words.split(" ").map((word) => [word, { mode, submode }] as const),
  ),
  // Any digital mode, for which ADIF has no name.
  ...[
    "DG",
    "DIGI",
    "DIG",
    "DATA",
    "DIGITAL",
    "DI",
    "USB-D",
    "LSB-D",
    "DIGU",
    "DIGL",
    "PKTUSB",
    "PKTLSB",
    "DATA-U",
    "DATA-L",
  ].map((word) => [word, {}] as const),
]);

/** ADIF's mode and submode; neither for a digital mode that has no name. */
export interface CabrilloMode {
  readonly mode?: string;
  readonly submode?: string | undefined;
}

/** ADIF's mode of a mode column; `undefined` for one that is not understood. */
export function modeOfCabrillo(text: string): CabrilloMode | undefined {
  return MODES_BY_WORD.get(text.toUpperCase());
}

/** Cabrillo's mode of a mode of ADIF. */
export function cabrilloMode(mode: string): string {
  const name = mode.toUpperCase();
  if (VOICE.has(name)) return "PH";
  for (const [cabrillo, adif] of MODES) if (adif === name) return cabrillo;
  return "DG";
}

/** Kilohertz by the unit behind a number, in the order in which they are tried without one. */
const UNITS: readonly (readonly [unit: RegExp, khz: number])[] = [
  [/^K(?:HZ)?$/, 1],
  [/^MHZ$/, 1000],
  [/^HZ$/, 0.001],
  [/^G(?:HZ)?$/, 1_000_000],
];

/** Band, and the frequency in MHz where the text has one. */
export interface CabrilloBand {
  readonly band: string;
  readonly megahertz?: string;
}

/**
 * The band of a frequency column: a designator, kHz, or what programs write instead: MHz, a unit, the name of a band.
 *
 * @returns `undefined` for a text that is not understood, and for light, which is no band of ADIF.
 */
export function bandOfCabrillo(text: string): CabrilloBand | undefined {
  const word = text.toUpperCase().replace(",", ".");
  const band = BANDS.get(word) ?? ADIF_BANDS.find(({ adif }) => adif.toUpperCase() === word)?.adif;
  if (band !== undefined) return { band };
  const [, figure = "", unit = ""] = /^(\d+(?:\.\d+)?)([KMG]?(?:HZ)?)$/.exec(word) ?? [];
  if (figure === "") return undefined;
  for (const [name, factor] of UNITS) {
    if (unit === "" ? factor === 1_000_000 : !name.test(unit)) continue;
    // Rounded to hertz: binary fractions leave more digits.
    const khz = Math.round(Number(figure) * factor * 1000) / 1000;
    const found = findBand(khz);
    // 2.4G and 10G name bands, not frequencies.
    if (found !== undefined)
      return unit === "G" ? { band: found.adif } : { band: found.adif, megahertz: String(khz / 1000) };
  }
  return undefined;
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
