/**
 * The next sunrise and sunset at a position, and the next begin and end of civil twilight.
 *
 * Each day the sun rises from its lower culmination to its upper one and descends again. Each event is searched
 * separately, on the next rise or descent that can contain it.
 */
import type { Position } from "../geo/position.js";
import { PARALLAX, solarPositionsOfSixDays, type SolarPosition } from "./solar-position.js";

// Hour angle and declination of the sun at a position, for any moment of three days.
//
// As in an almanac, the sun's position is computed at midnight UTC and interpolated by third differences in between. Using
// calendar midnights, a moment has the same result whatever the start of the search.

const RADIANS = Math.PI / 180;
const TURN = 2 * Math.PI;
const DAY_MS = 86_400_000;

/** Radius of the sun's disk, seen from one astronomical unit (Auwers 1891, as in the almanacs). */
const SEMIDIAMETER = (959.63 / 3600) * RADIANS;

/** Newton's method ends with a step below this, in days: 0.1 s, after which the error is far below a millisecond. */
const LAST_STEP = 1e-6;

/** The next event of each kind after a moment; `null` if the sun's next rise or descent does not contain it. */
export interface SunTimes {
  /** Civil twilight begins: the center of the sun rises to 6° below the horizon. */
  readonly morning_dawn: Date | null;
  /** The upper limb rises to 34' below the horizon, where refraction shows it on the horizon. */
  readonly sunrise: Date | null;
  /** Civil twilight ends: the center of the sun descends to 6° below the horizon. */
  readonly evening_dawn: Date | null;
  /** The upper limb descends to 34' below the horizon. */
  readonly sunset: Date | null;
}

/** An altitude of the sun's center in radians, and its correction at a distance of one astronomical unit. */
interface Altitude {
  readonly radians: number;
  readonly correction: number;
}

/** Upper limb at -0°34', center at -6°: topocentric, corrected by the parallax for the geocentric calculation. */
const HORIZON: Altitude = { radians: (-34 / 60) * RADIANS, correction: PARALLAX - SEMIDIAMETER };
const TWILIGHT: Altitude = { radians: -6 * RADIANS, correction: PARALLAX * Math.cos(6 * RADIANS) };

/** A moment, and the sine of the altitude of the sun's center. */
interface Point {
  readonly moment: number;
  readonly sine: number;
  readonly distance: number;
}

/** The start and the next three culminations, alternately upper and lower; a rise or a descent lies between two. */
interface Extrema {
  readonly risesFirst: boolean;
  readonly points: readonly [start: Point, Point, Point, Point];
}

/** The next sunrise and sunset, civil dawn and civil dusk after a moment in milliseconds. */
export function sunTimes(position: Position, afterMs: number): SunTimes {
  // Starts one millisecond later, because times are rounded to one: an event found before is not found again.
  const startMs = afterMs + 1;
  const midnightMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const ephemeris = ephemerisFrom(position, midnightMs);
  const extrema = extremaAfter(ephemeris, (startMs - midnightMs) / DAY_MS);
  const next = (altitude: Altitude, up: boolean) => {
    const moment = nextCrossing(ephemeris, extrema, altitude, up);
    return moment === null ? null : new Date(midnightMs + Math.round(moment * DAY_MS));
  };
  return {
    morning_dawn: next(TWILIGHT, true),
    sunrise: next(HORIZON, true),
    evening_dawn: next(TWILIGHT, false),
    sunset: next(HORIZON, false),
  };
}

/**
 * The sun's altitude extrema after a moment.
 *
 * They are in the meridian, shifted by the change of declination. Within 7 km of the poles that change exceeds the
 * daily motion: a rise (or descent) can take the whole day, and the other is empty.
 */
function extremaAfter(ephemeris: Ephemeris, start: number): Extrema {
  const { hourAngle, hourAngleRate, declination, declinationRate } = sunAt(ephemeris, start);
  // The derivative of the altitude is 0 where sin H = (tan φ - tan δ cos H) dδ/dH.
  const drift = declinationRate / hourAngleRate;
  const tanLatitude = ephemeris.sinLatitude / ephemeris.cosLatitude;
  const highest = arcsine((tanLatitude - Math.tan(declination)) * drift);
  const lowest = Math.PI - arcsine((tanLatitude + Math.tan(declination)) * drift);

  const sinceHighest = modulo(hourAngle - highest, TURN);
  const fall = modulo(lowest - highest, TURN);
  const risesFirst = sinceHighest >= fall;
  const point = (turned: number) => pointAt(ephemeris, start + (turned - sinceHighest) / hourAngleRate);
  return {
    risesFirst,
    points: risesFirst
      ? [pointAt(ephemeris, start), point(TURN), point(TURN + fall), point(2 * TURN)]
      : [pointAt(ephemeris, start), point(fall), point(TURN), point(TURN + fall)],
  };
}

/** The moment of the next crossing of an altitude, upward or downward; `null` if that rise or descent has none. */
function nextCrossing(
  ephemeris: Ephemeris,
  { risesFirst, points }: Extrema,
  altitude: Altitude,
  up: boolean,
): number | null {
  const isPast = ({ sine, distance }: Point) => sine >= sineOf(altitude, distance) === up;
  const [start, ...turns] = points;
  let from = start;
  // The current rise or descent is searched if it has the direction and the sun is not past the altitude, else the next.
  const last = risesFirst === up ? (isPast(start) ? 3 : 1) : 2;
  for (const to of turns.slice(0, last)) {
    if (isPast(to) && !isPast(from)) return crossingBetween(ephemeris, from.moment, to.moment, altitude, up);
    from = to;
  }
  return null;
}

/** The moment of a crossing between two moments, by Newton's method safeguarded by bisection. */
function crossingBetween(
  ephemeris: Ephemeris,
  from: number,
  to: number,
  altitude: Altitude,
  up: boolean,
): number {
  let earliest = from;
  let latest = to;
  let moment = estimate(ephemeris, to, altitude, up);
  for (let i = 0; i < 50; i++) {
    if (!(moment > earliest && moment < latest)) moment = (earliest + latest) / 2;
    const sun = sunAt(ephemeris, moment);
    const excess = sineAt(ephemeris, sun) - sineOf(altitude, sun.distance);
    if (excess >= 0 === up) latest = moment;
    else earliest = moment;
    const step = excess / sineRate(ephemeris, sun);
    moment -= step;
    if (Math.abs(step) < LAST_STEP) break;
  }
  return moment;
}

/** Estimates a crossing backward from the culmination after it, with constant declination. */
function estimate(ephemeris: Ephemeris, turn: number, altitude: Altitude, up: boolean): number {
  const { hourAngleRate, declination, distance } = sunAt(ephemeris, turn);
  const cosine =
    (sineOf(altitude, distance) - ephemeris.sinLatitude * Math.sin(declination)) /
    (ephemeris.cosLatitude * Math.cos(declination));
  const fromMeridian = Math.PI / 2 - arcsine(cosine);
  return turn - (up ? fromMeridian : Math.PI - fromMeridian) / hourAngleRate;
}

function pointAt(ephemeris: Ephemeris, moment: number): Point {
  const sun = sunAt(ephemeris, moment);
  return { moment, sine: sineAt(ephemeris, sun), distance: sun.distance };
}

/** Sine of the altitude of the sun's center, seen from the center of the earth. */
function sineAt({ sinLatitude, cosLatitude }: Ephemeris, { hourAngle, declination }: SunCoordinates): number {
  return sinLatitude * Math.sin(declination) + cosLatitude * Math.cos(declination) * Math.cos(hourAngle);
}

/** The change of that sine per day. */
function sineRate({ sinLatitude, cosLatitude }: Ephemeris, sun: SunCoordinates): number {
  const { hourAngle, hourAngleRate, declination, declinationRate } = sun;
  const cosDeclination = Math.cos(declination);
  const north = sinLatitude * cosDeclination - cosLatitude * Math.sin(declination) * Math.cos(hourAngle);
  return north * declinationRate - cosLatitude * cosDeclination * Math.sin(hourAngle) * hourAngleRate;
}

function sineOf({ radians, correction }: Altitude, distance: number): number {
  return Math.sin(radians + correction / distance);
}

/** The arcsine, with its argument clamped to -1..1 against rounding and near the poles. */
function arcsine(x: number): number {
  return Math.asin(Math.min(Math.max(x, -1), 1));
}

/** The remainder of a division, never negative. */
function modulo(x: number, divisor: number): number {
  return x - divisor * Math.floor(x / divisor);
}

const J2000_MS = Date.UTC(2000, 0, 1, 12);

/** The sun at a position for three days. Moments are in days after the first midnight. */
interface Ephemeris {
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
interface SunCoordinates {
  /** 0 at the meridian, positive in the west; continuous, it does not wrap. */
  readonly hourAngle: number;
  readonly hourAngleRate: number;
  readonly declination: number;
  readonly declinationRate: number;
  /** In astronomical units. */
  readonly distance: number;
}

/** The ephemeris of a position for three days from a midnight (UTC). */
function ephemerisFrom({ latitude, longitude }: Position, midnightMs: number): Ephemeris {
  const [a, b, c, d, e, f] = solarPositionsOfSixDays((midnightMs - DAY_MS - J2000_MS) / DAY_MS);
  return {
    sinLatitude: Math.sin(latitude * RADIANS),
    cosLatitude: Math.cos(latitude * RADIANS),
    longitude: longitude * RADIANS,
    days: [dayBetween(a, b, c, d), dayBetween(b, c, d, e), dayBetween(c, d, e, f)],
  };
}

/** The sun at a moment. */
function sunAt({ longitude, days }: Ephemeris, moment: number): SunCoordinates {
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
