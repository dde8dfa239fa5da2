/**
 * What the comment of a spot tells in a form that programs can read: mode, signal, speed, split.
 *
 * Skimmers write `CW    20 dB  25 WPM  CQ`, people write what they like. Something is told only where the words leave
 * little doubt.
 */
import type { Spot, SpotMode } from "./cluster-line.js";

/** A spot while it is being filled. */
export type OpenSpot = { -readonly [Key in keyof Spot]: Spot[Key] };

/** As {@link SpotMode}, and other spellings of the same. One pattern is five times as fast as a set of words. */
const MODE =
  /(?<![A-Z0-9])(?:CW|SSB|USB|LSB|RTTY|SSTV|DMR|C4FM|OLIVIA|MFSK|FT-?8|FT-?4|JS8(?:CALL)?|Q65|MSK144|JT65|JT9|JT4|FST4W?|WSPR|B?PSK(?:31|63|125)?)(?![A-Z0-9])/i;
const OTHER_SPELLINGS: ReadonlyMap<string, SpotMode> = new Map([
  ["FT-8", "FT8"],
  ["FT-4", "FT4"],
  ["JS8CALL", "JS8"],
  ["BPSK", "PSK"],
  ["BPSK31", "PSK31"],
  ["BPSK63", "PSK63"],
  ["BPSK125", "PSK125"],
]);
/** Within other words these mostly mean something else: "am" in sentences, "FM JN48" for "from JN48". */
const MODE_ALONE = /^(?:AM|FM)$/i;
/** Not behind a report such as 59 or S9: there the decibels are those of an S meter. */
const SNR = /(?<![\w.+-])(?<!\b(?:S?9|5[0-9]9?) )([+-]?[0-9]{1,3}) ?dB(?![A-Z])/i;
const WPM = /(?<![\w.])([0-9]{1,3}) ?WPM(?!\w)/i;
/** Without one of these there is no split; asked first, because most comments have none. */
const SPLIT = /QSX|UP|DN|DOWN/i;
const QSX = /(?<!\w)QSX:? ?([0-9]{1,9}(?:\.[0-9]{1,6})?)(?![\w.-])/i;
const UP = /(?<!\w)(UP|DN|DOWN) ?([0-9]{1,2}(?:\.[0-9]{1,2})?)(?: ?kHz| ?k)?(?![\w./+-])/i;
const BY_UP = /(?<![\w./+-])([0-9]{1,2}(?:\.[0-9]{1,2})?) ?(?:kHz |k )?(UP|DN|DOWN)(?!\w)/i;

/** Nobody listens farther away; "UP 73" is a greeting. */
const WIDEST_SPLIT = 50;

/** The same object, with the mode, signal, speed and listening frequency added that its comment tells. */
export function addDetails(spot: OpenSpot): Spot {
  const { comment } = spot;
  if (comment === "") return spot;
  const mode = findMode(comment);
  if (mode !== undefined) spot.mode = mode;
  const snr = SNR.exec(comment)?.[1];
  if (snr !== undefined) spot.snr = Number(snr) || 0; // "-00" would be -0
  const wpm = WPM.exec(comment)?.[1];
  if (wpm !== undefined) spot.wpm = Number(wpm);
  const qsx = SPLIT.test(comment) ? findQsx(comment, spot.frequency) : undefined;
  if (qsx !== undefined) spot.qsx = qsx;
  return spot;
}

function findMode(comment: string): SpotMode | undefined {
  const found = MODE.exec(comment) ?? MODE_ALONE.exec(comment);
  if (found === null) return undefined;
  const word = found[0].toUpperCase();
  return OTHER_SPELLINGS.get(word) ?? (word as SpotMode);
}

function findQsx(comment: string, frequency: number): number | undefined {
  const written = Number(QSX.exec(comment)?.[1]);
  if (isNear(written, frequency)) return written;
  if (isNear(written * 1000, frequency)) return roundToHertz(written * 1000); // MHz
  const [, up, by] = UP.exec(comment) ?? [];
  const [, byBefore, upBefore] = BY_UP.exec(comment) ?? [];
  return shifted(frequency, up, by) ?? shifted(frequency, upBefore, byBefore);
}

/** In the same band, roughly. */
function isNear(listening: number, frequency: number): boolean {
  return Math.abs(listening - frequency) < 0.1 * frequency;
}

function shifted(
  frequency: number,
  direction: string | undefined,
  by: string | undefined,
): number | undefined {
  const offset = Number(by);
  if (direction === undefined || !(offset > 0 && offset <= WIDEST_SPLIT)) return undefined;
  return roundToHertz(direction.toUpperCase() === "UP" ? frequency + offset : frequency - offset);
}

function roundToHertz(kilohertz: number): number {
  return Math.round(kilohertz * 1000) / 1000;
}
