/** Frequencies as they are typed: in kHz, with a unit, or as a transceiver displays them. */
import { ValueError } from "../../errors.js";

const NUMBER = /^(?:\d+(?:[.,]\d+)*|[.,]\d+)$/;
const UNIT = /^(?:hz|khz|mhz|ghz|thz)$/i;
const FREQUENCY = /^([\d.,]+)\s*(hz|khz|mhz|ghz|thz)?$/i;

/** "14,074.5": commas between thousands, a decimal point. */
const COMMA_THOUSANDS = /^\d{1,3}(?:,\d{3})+\.\d+$/;
/** "14.074,5": the same the other way round. */
const POINT_THOUSANDS = /^\d{1,3}(?:\.\d{3})+,\d+$/;
/** "14.074.000": the display of a transceiver in MHz, kHz and Hz, or tens of Hz. */
const DISPLAY = /^\d{1,3}(?:(?:\.\d{3})+\.\d{2,3}|(?:,\d{3})+,\d{2,3})$/;
const DECIMAL = /^\d*[.,]?\d+$/;
/** "14,074": a decimal comma, or a comma between thousands. */
const AMBIGUOUS = /^\d{1,3},\d{3}$/;

/** The units in kHz. */
const UNITS_KHZ: Readonly<Record<string, number>> = { hz: 1e-3, khz: 1, mhz: 1e3, ghz: 1e6, thz: 1e9 };

/** The unit of the first group of a display, by its number of groups. */
const DISPLAY_UNITS: Readonly<Record<number, string>> = { 3: "mhz", 4: "ghz", 5: "thz" };

/** Joins a separate unit to the number before it: "14.074", "MHz" is one frequency. */
export function joinUnits(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before !== undefined && UNIT.test(word) && NUMBER.test(before))
      joined.splice(-1, 1, `${before} ${word}`);
    else joined.push(word);
  }
  return joined;
}

/**
 * A frequency in kHz, to the millihertz.
 *
 * Without a unit a number is in kHz, and one of three groups or more is what a transceiver displays: 14.074.000 is 14074 kHz.
 * A single comma is a decimal comma, but 14,074 is ambiguous without a unit, and so is 14,074kHz.
 *
 * @throws {ValueError} The text is not a frequency, or has two readings: the message names both.
 */
export function parseKilohertz(text: string): number {
  const [, number = "", unit] = FREQUENCY.exec(text.trim()) ?? [];
  const khz = kilohertzOf(number, unit?.toLowerCase());
  if (khz !== undefined) return khz;
  const expected = ambiguity(number, unit) ?? "a frequency such as 14074, 14.074MHz or 10.368GHz";
  throw new ValueError({ argument: "frequency", value: text, expected });
}

/** Whether the text is a number without a unit, for a hint. */
export function lacksUnit(text: string): boolean {
  return DECIMAL.test(text.trim());
}

function kilohertzOf(number: string, unit: string | undefined): number | undefined {
  if (DISPLAY.test(number)) return displayedKilohertz(number, unit);
  if (ambiguity(number, unit) !== undefined) return undefined;
  if (COMMA_THOUSANDS.test(number)) return inKilohertz(number.replaceAll(",", ""), unit);
  if (POINT_THOUSANDS.test(number)) return inKilohertz(number.replaceAll(".", "").replace(",", "."), unit);
  return DECIMAL.test(number) ? inKilohertz(number.replace(",", "."), unit) : undefined;
}

/** A display's number without a unit, or with that of its first or last group; `undefined` with another unit. */
function displayedKilohertz(number: string, unit: string | undefined): number | undefined {
  const groups = number.split(/[.,]/);
  const [first = "", ...rest] = groups;
  const firstUnit = DISPLAY_UNITS[groups.length];
  const isWholeHertz = rest.at(-1)?.length === 3;
  if (
    firstUnit === undefined ||
    !(unit === undefined || unit === firstUnit || (unit === "hz" && isWholeHertz))
  )
    return undefined;
  return inKilohertz(`${first}.${rest.join("")}`, firstUnit);
}

function inKilohertz(decimal: string, unit = "khz"): number | undefined {
  const factor = UNITS_KHZ[unit];
  // Binary fractions: 14.074 times 1000 is not quite 14074.
  return factor === undefined ? undefined : Math.round(Number(decimal) * factor * 1e6) / 1e6;
}

/** What was expected instead of a number with two readings; `undefined` for other numbers. */
function ambiguity(number: string, unit = "kHz"): string | undefined {
  // No amateur band is so high that the comma of "14,074MHz" could be one between thousands.
  if (!AMBIGUOUS.test(number) || !/^k?hz$/i.test(unit)) return undefined;
  const decimal = number.replace(",", ".");
  const whole = number.replace(",", "");
  return (
    `one frequency: ${decimal} ${unit} with a decimal comma, ${whole} ${unit} with a comma between thousands; ` +
    `write ${decimal}MHz or ${whole}kHz`
  );
}
