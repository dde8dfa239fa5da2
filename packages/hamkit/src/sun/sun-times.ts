/**
 * When the sun next rises and sets at a place, and when civil twilight begins and ends.
 *
 * Once a day the sun climbs from its lowest point to its highest, and once it sinks back. Each event is looked for on
 * its own, on the next way up or down that can have it.
 */
import type { Position } from "../geo/position.js";
import { PARALLAX } from "./solar-position.js";
import { courseAt, skyOver, type Course, type Sky } from "./sky.js";

const RADIANS = Math.PI / 180;
const TURN = 2 * Math.PI;
const DAY_MS = 86_400_000;

/** Radius of the sun's disk, seen from one astronomical unit (Auwers 1891, as in the almanacs). */
const SEMIDIAMETER = (959.63 / 3600) * RADIANS;

/** Newton's method ends with a step below this, in days: 0.1 s, after which the rest is far below a millisecond. */
const LAST_STEP = 1e-6;

/** The next event of each kind after a moment; `null` where the sun's next way up or down does not have it. */
export interface SunTimes {
  /** Civil twilight begins: the center of the sun comes up to 6° below the horizon. */
  readonly morning_dawn: Date | null;
  /** The upper limb comes up to 34' below the horizon, where refraction shows it on the horizon. */
  readonly sunrise: Date | null;
  /** Civil twilight ends: the center of the sun goes down to 6° below the horizon. */
  readonly evening_dawn: Date | null;
  /** The upper limb goes down to 34' below the horizon. */
  readonly sunset: Date | null;
}

/** An altitude of the sun's center in radians, and what to add to it at a distance of one astronomical unit. */
interface Altitude {
  readonly radians: number;
  readonly correction: number;
}

/** Upper limb at -0°34', center at -6°: from the ground, while the calculation sees from the center of the earth. */
const HORIZON: Altitude = { radians: (-34 / 60) * RADIANS, correction: PARALLAX - SEMIDIAMETER };
const TWILIGHT: Altitude = { radians: -6 * RADIANS, correction: PARALLAX * Math.cos(6 * RADIANS) };

/** A moment, and how high the center of the sun is then. */
interface Point {
  readonly moment: number;
  readonly sine: number;
  readonly distance: number;
}

/** The start, and the next three points where the sun is highest or lowest, in turn: ways lead from one to the next. */
interface Ways {
  readonly upFirst: boolean;
  readonly points: readonly [start: Point, Point, Point, Point];
}

/** The next sunrise and sunset, civil dawn and civil dusk after a moment in milliseconds. */
export function sunTimes(position: Position, afterMs: number): SunTimes {
  // From the next millisecond on, because times are rounded to one: an event found before is not found again.
  const startMs = afterMs + 1;
  const midnightMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const sky = skyOver(position, midnightMs);
  const ways = waysAfter(sky, (startMs - midnightMs) / DAY_MS);
  const next = (altitude: Altitude, up: boolean) => {
    const moment = nextPassage(sky, ways, altitude, up);
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
 * The ways of the sun after a moment.
 *
 * It is highest and lowest in the meridian, but for its own move north or south. Near the poles that outdoes the
 * daily turn: within 7 km of them a way up (or down) can take the whole day, and the other way is nothing.
 */
function waysAfter(sky: Sky, start: number): Ways {
  const { hourAngle, hourAngleGain, declination, declinationGain } = courseAt(sky, start);
  // The derivative of the altitude is 0 where sin H = (tan φ - tan δ cos H) dδ/dH.
  const drift = declinationGain / hourAngleGain;
  const tanLatitude = sky.sinLatitude / sky.cosLatitude;
  const highest = arcsine((tanLatitude - Math.tan(declination)) * drift);
  const lowest = Math.PI - arcsine((tanLatitude + Math.tan(declination)) * drift);

  const sinceHighest = modulo(hourAngle - highest, TURN);
  const fall = modulo(lowest - highest, TURN);
  const upFirst = sinceHighest >= fall;
  const point = (turned: number) => pointAt(sky, start + (turned - sinceHighest) / hourAngleGain);
  return {
    upFirst,
    points: upFirst
      ? [pointAt(sky, start), point(TURN), point(TURN + fall), point(2 * TURN)]
      : [pointAt(sky, start), point(fall), point(TURN), point(TURN + fall)],
  };
}

/** When the sun next passes an altitude on its way up or down; `null` if that way does not lead past it. */
function nextPassage(sky: Sky, { upFirst, points }: Ways, altitude: Altitude, up: boolean): number | null {
  const isPast = ({ sine, distance }: Point) => sine >= sineOf(altitude, distance) === up;
  const [start, ...turns] = points;
  let from = start;
  // On the right way this one counts, or the next of its kind if the sun is past already; on the wrong way, the next.
  const ways = upFirst === up ? (isPast(start) ? 3 : 1) : 2;
  for (const to of turns.slice(0, ways)) {
    if (isPast(to) && !isPast(from)) return passageBetween(sky, from.moment, to.moment, altitude, up);
    from = to;
  }
  return null;
}

/** The moment of a passage between two others, by Newton's method, kept between them by bisection. */
function passageBetween(sky: Sky, from: number, to: number, altitude: Altitude, up: boolean): number {
  let earliest = from;
  let latest = to;
  let moment = estimate(sky, to, altitude, up);
  for (let i = 0; i < 50; i++) {
    if (!(moment > earliest && moment < latest)) moment = (earliest + latest) / 2;
    const course = courseAt(sky, moment);
    const excess = sineAt(sky, course) - sineOf(altitude, course.distance);
    if (excess >= 0 === up) latest = moment;
    else earliest = moment;
    const step = excess / sineGain(sky, course);
    moment -= step;
    if (Math.abs(step) < LAST_STEP) break;
  }
  return moment;
}

/** About when the passage was, counted back from the turn after it, as if the sun did not move north or south. */
function estimate(sky: Sky, turn: number, altitude: Altitude, up: boolean): number {
  const { hourAngleGain, declination, distance } = courseAt(sky, turn);
  const cosine =
    (sineOf(altitude, distance) - sky.sinLatitude * Math.sin(declination)) /
    (sky.cosLatitude * Math.cos(declination));
  const fromMeridian = Math.PI / 2 - arcsine(cosine);
  return turn - (up ? fromMeridian : Math.PI - fromMeridian) / hourAngleGain;
}

function pointAt(sky: Sky, moment: number): Point {
  const course = courseAt(sky, moment);
  return { moment, sine: sineAt(sky, course), distance: course.distance };
}

/** Sine of the altitude of the sun's center, seen from the center of the earth. */
function sineAt({ sinLatitude, cosLatitude }: Sky, { hourAngle, declination }: Course): number {
  return sinLatitude * Math.sin(declination) + cosLatitude * Math.cos(declination) * Math.cos(hourAngle);
}

/** What that sine gains per day. */
function sineGain({ sinLatitude, cosLatitude }: Sky, course: Course): number {
  const { hourAngle, hourAngleGain, declination, declinationGain } = course;
  const cosDeclination = Math.cos(declination);
  const north = sinLatitude * cosDeclination - cosLatitude * Math.sin(declination) * Math.cos(hourAngle);
  return north * declinationGain - cosLatitude * cosDeclination * Math.sin(hourAngle) * hourAngleGain;
}

function sineOf({ radians, correction }: Altitude, distance: number): number {
  return Math.sin(radians + correction / distance);
}

/** The arcsine, of 1 where rounding or the poles lead beyond it. */
function arcsine(x: number): number {
  return Math.asin(Math.min(Math.max(x, -1), 1));
}

/** The remainder of a division, never negative. */
function modulo(x: number, divisor: number): number {
  return x - divisor * Math.floor(x / divisor);
}
