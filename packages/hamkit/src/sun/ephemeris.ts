/**
 * Hour angle and declination of the sun at a position, for any moment of three days.
 *
 * As in an almanac, the sun's position is computed at midnight UTC and interpolated by third differences in between.
 * Using calendar midnights, a moment has the same result whatever the start of the search.
 */
import type { Position } from "../geo/position.js";
import { solarPositionsOfSixDays, type SolarPosition } from "./solar-position.js";

const RADIANS = Math.PI / 180;
const DAY_MS = 86_400_000;
const J2000_MS = Date.UTC(2000, 0, 1, 12);

/** The sun at a position for three days. Moments are in days after the first midnight. */
export interface Ephemeris {
  readonly sinLatitude: number;
  readonly cosLatitude: number;
  /** In radians. */
  readonly longitude: number;
  readonly days: readonly [Day, Day, Day];
}

/** The interpolation polynomials of one day. */
interface Day {
  readonly equationOfTime: Cubic;
  readonly declination: Cubic;
  readonly distance: Cubic;
}

/** A cubic polynomial in the elapsed fraction of the day. */
interface Cubic {
  readonly start: number;
  readonly linear: number;
  readonly square: number;
  readonly cube: number;
}

/** The sun at a moment: radians, and their change per day. */
export interface SunCoordinates {
  /** 0 at the meridian, positive in the west; continuous, it does not wrap. */
  readonly hourAngle: number;
  readonly hourAngleRate: number;
  readonly declination: number;
  readonly declinationRate: number;
  /** In astronomical units. */
  readonly distance: number;
}

/** The ephemeris of a position for three days from a midnight (UTC). */
export function ephemerisFrom({ latitude, longitude }: Position, midnightMs: number): Ephemeris {
  const [a, b, c, d, e, f] = solarPositionsOfSixDays((midnightMs - DAY_MS - J2000_MS) / DAY_MS);
  return {
    sinLatitude: Math.sin(latitude * RADIANS),
    cosLatitude: Math.cos(latitude * RADIANS),
    longitude: longitude * RADIANS,
    days: [dayBetween(a, b, c, d), dayBetween(b, c, d, e), dayBetween(c, d, e, f)],
  };
}

/** The sun at a moment. */
export function sunAt({ longitude, days }: Ephemeris, moment: number): SunCoordinates {
  const index = moment < 1 ? 0 : moment < 2 ? 1 : 2;
  const { equationOfTime, declination, distance } = days[index];
  const part = moment - index;
  return {
    hourAngle: (2 * moment - 1) * Math.PI + longitude + valueOf(equationOfTime, part),
    hourAngleRate: 2 * Math.PI + rateOf(equationOfTime, part),
    declination: valueOf(declination, part),
    declinationRate: rateOf(declination, part),
    distance: valueOf(distance, part),
  };
}

function dayBetween(
  before: SolarPosition,
  start: SolarPosition,
  end: SolarPosition,
  after: SolarPosition,
): Day {
  const cubic = (quantity: keyof SolarPosition) =>
    interpolation(before[quantity], start[quantity], end[quantity], after[quantity]);
  return {
    equationOfTime: cubic("equationOfTime"),
    declination: cubic("declination"),
    distance: cubic("distance"),
  };
}

/** The cubic through four values at -1, 0, 1 and 2. */
function interpolation(before: number, start: number, end: number, after: number): Cubic {
  const square = (end - 2 * start + before) / 2;
  const cube = (after - 3 * end + 3 * start - before) / 6;
  return { start, linear: end - start - square - cube, square, cube };
}

function valueOf({ start, linear, square, cube }: Cubic, x: number): number {
  return start + x * (linear + x * (square + x * cube));
}

function rateOf({ linear, square, cube }: Cubic, x: number): number {
  return linear + x * (2 * square + x * 3 * cube);
}
