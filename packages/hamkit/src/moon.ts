/**
 * `hamkit/moon`: azimuth and elevation of the moon, moonrise and moonset, the point below it, and the times in which two places see it.
 *
 * Everything here is a pure function of its arguments, synchronous, without data files or network. The moon's theory is that of
 * `astronomy-engine`, which is part of the module.
 *
 * @module hamkit/moon
 */
import { ValueError } from "./errors.js";
import { positionOfPlace } from "./geo/locator.js";
import type { Position } from "./geo/position.js";
import { directionOfMoon, pointBelowMoon, type MoonPosition } from "./moon/moon-position.js";
import { DAY_MS, moonTimes, windowsBetween, type MoonTimes, type MoonWindow } from "./moon/moon-search.js";
import { ephemerisMoment } from "./sun/ephemeris-moment.js";

export type { MoonPosition, MoonTimes, MoonWindow };

/** The period and the elevation of `moonWindows`. */
export interface MoonWindowsOptions {
  /** Start of the period; now when left out. */
  readonly start?: Date | undefined;
  /** Its length in days, more than 0 and at most 60; default 7. */
  readonly days?: number | undefined;
  /** The moon's center is at least so many degrees above both horizons, from -5 to 90; default 0. */
  readonly minElevation?: number | undefined;
}

/**
 * Elevation, azimuth and distance of the moon at a place.
 *
 * @param place A locator, for the center of its rectangle; a position, or its text: `48.5,9.3`.
 * @param date The moment; now when left out or `null`.
 * @returns Of the moon's center as seen from the place, not from the center of the earth, within 0.02° and 60 km from 2000 to 2030.
 *   Geometric: without refraction, which raises the moon by 0.5° at the horizon.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000.
 * @throws {ArgumentTypeError} The place is neither text nor a position; a `TypeError`.
 * @see https://github.com/cosinekitty/astronomy the theory and its accuracy.
 * @example
 * const { azimuth, elevation } = moonPosition("JN48QM", new Date("2024-06-01T12:00Z"));
 * [azimuth.toFixed(1), elevation.toFixed(1)]; // => ["259.4", "9.9"]
 */
export function moonPosition(place: string | Position, date?: Date | null): MoonPosition {
  return directionOfMoon(positionOfPlace(place, "place"), ephemerisMoment(date, "date"));
}

/**
 * The point of the earth that has the moon in the zenith.
 *
 * @param date The moment; now when left out or `null`.
 * @returns Latitude and longitude in degrees, within 0.02°.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000.
 * @example
 * sublunarPoint(new Date("2024-06-01T12:00Z")).latitude.toFixed(1); // => "1.3"
 */
export function sublunarPoint(date?: Date | null): Position {
  return pointBelowMoon(ephemerisMoment(date, "date"));
}

/**
 * The next moonrise and moonset at a place.
 *
 * The moon rises and sets when its upper limb is at -0°34', where average refraction shows it on the horizon, at sea level.
 *
 * @param place A locator, for the center of its rectangle; a position, or its text: `48.5,9.3`.
 * @param date The moment after which to search; now when left out or `null`.
 * @returns The next event of each kind. Up to 60° of latitude it is within 15 s of another ephemeris, and usually less than 25 hours away;
 *   near the poles the moon may be up or down for two weeks. `null` where there is none in 28 days, within some kilometers of a pole.
 *   A moon that shows itself for less than ten minutes may be missed.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000.
 * @throws {ArgumentTypeError} The place is neither text nor a position; a `TypeError`.
 * @see https://aa.usno.navy.mil/faq/RST_defs the definitions.
 * @example
 * const { moonrise, moonset } = calculateMoonriseMoonset("JN48QM", new Date("2024-06-01T12:00Z"));
 * moonset?.toISOString().slice(0, 16); // => "2024-06-01T13:09"
 * moonrise?.toISOString().slice(0, 16); // => "2024-06-02T01:04"
 */
export function calculateMoonriseMoonset(place: string | Position, date?: Date | null): MoonTimes {
  return moonTimes(positionOfPlace(place, "place"), ephemerisMoment(date, "date"));
}

/**
 * The times in which two places see the moon, for contacts by its reflection (EME).
 *
 * @param place1 A locator, for the center of its rectangle; a position, or its text: `48.5,9.3`.
 * @param place2 The same.
 * @param options The period, and how high the moon has to be.
 * @returns In order; empty if the places don't see the moon together. A window begins or ends with the period if the moon is seen
 *   then. Without refraction; windows of less than ten minutes may be missed.
 * @throws {LocatorError} A text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} Start, days or minimal elevation are out of their range.
 * @throws {ArgumentTypeError} A place is neither text nor a position; a `TypeError`.
 * @example
 * const [window] = moonWindows("JN48QM", "FN31PR", { start: new Date("2024-06-01T00:00Z"), days: 2 });
 * window?.start.toISOString().slice(0, 16); // => "2024-06-01T06:24"
 */
export function moonWindows(
  place1: string | Position,
  place2: string | Position,
  { start, days = 7, minElevation = 0 }: MoonWindowsOptions = {},
): MoonWindow[] {
  const places = [positionOfPlace(place1, "place1"), positionOfPlace(place2, "place2")];
  const startMs = ephemerisMoment(start, "start");
  if (!(days > 0 && days <= 60))
    throw new ValueError({ argument: "days", value: days, expected: "a number above 0, at most 60" });
  if (!(minElevation >= -5 && minElevation <= 90))
    throw new ValueError({
      argument: "minElevation",
      value: minElevation,
      expected: "degrees from -5 to 90",
    });
  return windowsBetween(places, { start: startMs, end: startMs + days * DAY_MS }, minElevation);
}
