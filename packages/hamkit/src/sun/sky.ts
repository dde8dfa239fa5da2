/**
 * The sun over a place, at any moment of three days.
 *
 * As in an almanac, the sun's place is worked out for midnights and interpolated by third differences in between.
 * The midnights are those of the calendar, so that a moment gets one answer, from wherever it is looked at.
 */
import type { Position } from "../geo/position.js";
import { solarPositionsOfSixDays, type SolarPosition } from "./solar-position.js";

const RADIANS = Math.PI / 180;
const DAY_MS = 86_400_000;
const J2000_MS = Date.UTC(2000, 0, 1, 12);

/** The sky over a place. Moments are days after its first midnight. */
export interface Sky {
  readonly sinLatitude: number;
  readonly cosLatitude: number;
  /** In radians. */
  readonly longitude: number;
  readonly days: readonly [Day, Day, Day];
}

/** The sun in the course of a day. */
interface Day {
  readonly equationOfTime: Cubic;
  readonly declination: Cubic;
  readonly distance: Cubic;
}

/** A polynomial in the part of the day that is over. */
interface Cubic {
  readonly start: number;
  readonly linear: number;
  readonly square: number;
  readonly cube: number;
}

/** Where the sun is at a moment: radians, and their change per day. */
export interface Course {
  /** 0 in the meridian, positive in the west; it grows without wrapping. */
  readonly hourAngle: number;
  readonly hourAngleGain: number;
  readonly declination: number;
  readonly declinationGain: number;
  /** In astronomical units. */
  readonly distance: number;
}

/** The sky for three days, from a midnight (UTC) on. */
export function skyOver({ latitude, longitude }: Position, midnightMs: number): Sky {
  const [a, b, c, d, e, f] = solarPositionsOfSixDays((midnightMs - DAY_MS - J2000_MS) / DAY_MS);
  return {
    sinLatitude: Math.sin(latitude * RADIANS),
    cosLatitude: Math.cos(latitude * RADIANS),
    longitude: longitude * RADIANS,
    days: [dayBetween(a, b, c, d), dayBetween(b, c, d, e), dayBetween(c, d, e, f)],
  };
}

/** Where the sun is at a moment. */
export function courseAt({ longitude, days }: Sky, moment: number): Course {
  const index = moment < 1 ? 0 : moment < 2 ? 1 : 2;
  const { equationOfTime, declination, distance } = days[index];
  const part = moment - index;
  return {
    hourAngle: (2 * moment - 1) * Math.PI + longitude + valueOf(equationOfTime, part),
    hourAngleGain: 2 * Math.PI + gainOf(equationOfTime, part),
    declination: valueOf(declination, part),
    declinationGain: gainOf(declination, part),
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

function gainOf({ linear, square, cube }: Cubic, x: number): number {
  return linear + x * (2 * square + x * 3 * cube);
}
