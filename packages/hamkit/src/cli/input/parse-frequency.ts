/** Parses frequencies with optional units. */
import { ValueError } from "../../errors.js";

const FREQUENCY = /^(\d+(?:\.\d+)?|\.\d+)\s*(hz|khz|mhz|ghz|thz)?$/i;
const NUMBER = /^[\d.]+$/;
const UNIT = /^(?:hz|khz|mhz|ghz|thz)$/i;

/** The units in kHz. */
const UNITS_KHZ: Readonly<Record<string, number>> = { hz: 1e-3, khz: 1, mhz: 1e3, ghz: 1e6, thz: 1e9 };

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
 * @throws {ValueError} The text is not a frequency.
 */
export function parseKilohertz(text: string): number {
  const match = FREQUENCY.exec(text.trim());
  const [, number, unit = "khz"] = match ?? [];
  const factor = UNITS_KHZ[unit.toLowerCase()];
  if (number === undefined || factor === undefined) {
    const expected = "a frequency such as 14074, 14.074MHz or 10.368GHz";
    throw new ValueError({ argument: "frequency", value: text, expected });
  }
  // Binary fractions: 14.074 times 1000 is not quite 14074.
  return Math.round(Number(number) * factor * 1e6) / 1e6;
}
