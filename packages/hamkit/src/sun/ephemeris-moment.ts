/** Validates moments, for the sun and the moon. */
import { ValueError } from "../errors.js";

/** Validity of the ephemerides, in milliseconds since 1970: years -2000 to 10000. */
const FIRST_MOMENT_MS = Date.UTC(-2000, 0);
const LAST_MOMENT_MS = Date.UTC(10_000, 0);

/** A `Date` in milliseconds since 1970; now when left out. */
export function ephemerisMoment(date: Date | null | undefined, argument: string): number {
  if (date === undefined || date === null) return Date.now();
  const isDate = Object.prototype.toString.call(date) === "[object Date]"; // also one from another window
  const ms = isDate ? date.getTime() : Number.NaN;
  if (ms >= FIRST_MOMENT_MS && ms <= LAST_MOMENT_MS) return ms;
  throw new ValueError({ argument, value: date, expected: "a valid Date of the years -2000 to 10000" });
}
