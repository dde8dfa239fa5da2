/**
 * `hamkit/locator`: locators and coordinates, distance and heading, sun times and the position of the sun.
 *
 * Everything here is a pure function of its arguments, synchronous, without data files or network.
 *
 * @module hamkit/locator
 */
import { ArgumentTypeError, AttributeError, ValueError } from "./errors.js";
import { geodesic } from "./geo/ellipsoid.js";
import { CIRCUMFERENCE_KM, distanceKm, headingDegrees, pointsAlong } from "./geo/great-circle.js";
import {
  isLocatorPrecision,
  locatorToPosition,
  positionOfPlace,
  positionToLocator,
  type LocatorPrecision,
} from "./geo/locator.js";
import { checkPosition, type Position } from "./geo/position.js";
import { directionOfSun, type SunPosition } from "./sun/solar-position.js";
import { ephemerisMoment } from "./sun/ephemeris-moment.js";
import { sunTimes, type SunTimes } from "./sun/sun-times.js";

export type { LocatorPrecision, Position, SunPosition, SunTimes };

/** The earth model for distance and heading. */
export interface EarthOptions {
  /**
   * `"sphere"` (default): the sphere of 6371 km that amateur radio programs commonly use, with an error of up to
   * 0.57 %. `"wgs84"`: the ellipsoid of satellite navigation, exact to a millimeter.
   */
  readonly model?: "sphere" | "wgs84" | undefined;
}

/** The points of a path. */
export interface PathOptions {
  /** Number of points, both ends included: an integer from 2 to 100,000. */
  readonly points: number;
  /** Whether to follow the long path; default `false`. */
  readonly longpath?: boolean | undefined;
}

/**
 * The locator of the rectangle that contains a point.
 *
 * A point on a border belongs to the rectangle north or east of it. 180° east equals 180° west, and the north pole
 * is in the topmost row.
 *
 * @param latitude Degrees from -90 to 90, north positive.
 * @param longitude Degrees from -180 to 180, east positive.
 * @param precision Length of the locator: 4, 6, 8 or 10 characters; default 6.
 * @returns The locator in upper case.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The precision is not 4, 6, 8 or 10.
 * @throws {ArgumentTypeError} An argument is not a number; a `TypeError`.
 * @see https://en.wikipedia.org/wiki/Maidenhead_Locator_System
 * @example
 * latlongToLocator(48.52, 9.375); // => "JN48QM"
 * latlongToLocator(48.52, 9.375, 10); // => "JN48QM54AT"
 */
export function latlongToLocator(
  latitude: number,
  longitude: number,
  precision: LocatorPrecision = 6,
): string {
  checkPosition({ latitude, longitude });
  if (!isLocatorPrecision(precision)) throw precisionError(precision);
  return positionToLocator({ latitude, longitude }, precision);
}

/**
 * The coordinates of a locator: the center of its rectangle, or its south-western corner.
 *
 * @param locator 4, 6, 8 or 10 characters in any case.
 * @param center Whether to return the center instead of the corner; default `true`.
 * @returns Latitude and longitude in degrees, rounded once: `latlongToLocator` converts center and corner back to the
 *   locator. Latitude is from -90 to 90 and longitude from -180 to 180, upper ends excluded.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {ArgumentTypeError} The locator is not a string; a `TypeError`.
 * @example
 * locatorToLatlong("JN48"); // => [48.5, 9]
 * locatorToLatlong("jn48qm", false); // => [48.5, 9.333333333333334]
 */
export function locatorToLatlong(locator: string, center = true): [latitude: number, longitude: number] {
  if (typeof locator !== "string") {
    throw new ArgumentTypeError({ argument: "locator", value: locator, expected: LOCATOR_TEXT });
  }
  const { latitude, longitude } = locatorToPosition(locator, "locator", center ? "center" : "corner");
  return [latitude, longitude];
}

/**
 * The distance between the centers of two locators on the short path.
 *
 * @param locator1 4, 6, 8 or 10 characters in any case, for the center of the rectangle; a position, or its text: `48.5,9.3`.
 * @param locator2 The same.
 * @param options The earth model; default: the sphere.
 * @returns Kilometers, from 0 to 20015.09 on the sphere (20003.93 on the ellipsoid); exact to a millimeter of the model.
 * @throws {LocatorError} A text is not a locator; a `ValueError`.
 * @throws {ValueError} The model is neither `"sphere"` nor `"wgs84"`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {AttributeError} A place is neither text nor a position.
 * @throws {ArgumentTypeError} A coordinate is not a number; a `TypeError`.
 * @see https://en.wikipedia.org/wiki/Great-circle_distance
 * @see C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43-55 (2013): the ellipsoid.
 * @example
 * calculateDistance("JN48QM", "EM10").toFixed(1); // => "8598.6"
 * calculateDistance("JN48QM", "EM10", { model: "wgs84" }).toFixed(1); // => "8617.4"
 */
export function calculateDistance(
  locator1: string | Position,
  locator2: string | Position,
  options?: EarthOptions,
): number {
  const from = placeOf(locator1, "locator1");
  const to = placeOf(locator2, "locator2");
  return isEllipsoid(options) ? geodesic(from, to).distanceKm : distanceKm(from, to);
}

/**
 * The distance between the centers of two locators on the long path, on the sphere of 6371 km.
 *
 * @param locator1 4, 6, 8 or 10 characters in any case, for the center of the rectangle; a position, or its text: `48.5,9.3`.
 * @param locator2 The same.
 * @returns Kilometers, from 20015.09 to 40030.17; short and long path add up to the great circle, 40030.17.
 * @throws {LocatorError} A text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {AttributeError} A place is neither text nor a position.
 * @throws {ArgumentTypeError} A coordinate is not a number; a `TypeError`.
 * @example
 * calculateDistanceLongpath("JN48QM", "EM10").toFixed(1); // => "31431.6"
 */
export function calculateDistanceLongpath(locator1: string | Position, locator2: string | Position): number {
  return CIRCUMFERENCE_KM - calculateDistance(locator1, locator2);
}

/**
 * The initial heading of the short path from one locator to another, between their centers.
 *
 * @param locator1 The start: 4, 6, 8 or 10 characters in any case, for the center of the rectangle; a position, or its text: `48.5,9.3`.
 * @param locator2 The same: the destination.
 * @param options The earth model; default: the sphere.
 * @returns Degrees clockwise from true north, 0 <= heading < 360. From a point to itself, and on the sphere to its
 *   antipode, every heading is correct and the result is 0.
 * @throws {LocatorError} A text is not a locator; a `ValueError`.
 * @throws {ValueError} The model is neither `"sphere"` nor `"wgs84"`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {AttributeError} A place is neither text nor a position.
 * @throws {ArgumentTypeError} A coordinate is not a number; a `TypeError`.
 * @see Ed Williams, *Aviation Formulary*, "Course between points".
 * @example
 * calculateHeading("JN48QM", "EM10").toFixed(2); // => "302.08"
 */
export function calculateHeading(
  locator1: string | Position,
  locator2: string | Position,
  options?: EarthOptions,
): number {
  const from = placeOf(locator1, "locator1");
  const to = placeOf(locator2, "locator2");
  return isEllipsoid(options) ? geodesic(from, to).heading : headingDegrees(from, to);
}

/**
 * The initial heading of the long path: opposite to that of the short path.
 *
 * @param locator1 The start: 4, 6, 8 or 10 characters in any case, for the center of the rectangle; a position, or its text: `48.5,9.3`.
 * @param locator2 The same: the destination.
 * @returns Degrees clockwise from true north, 0 <= heading < 360.
 * @throws {LocatorError} A text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {AttributeError} A place is neither text nor a position.
 * @throws {ArgumentTypeError} A coordinate is not a number; a `TypeError`.
 * @example
 * calculateHeadingLongpath("JN48QM", "EM10").toFixed(2); // => "122.08"
 */
export function calculateHeadingLongpath(locator1: string | Position, locator2: string | Position): number {
  const heading = calculateHeading(locator1, locator2);
  return heading < 180 ? heading + 180 : heading - 180;
}

/**
 * Evenly spaced points along the great circle between the centers of two locators, for drawing on a map.
 *
 * @param locator1 The first point: 4, 6, 8 or 10 characters in any case, for the center of the rectangle; a position, or its text.
 * @param locator2 The same: the last point.
 * @param options The number of points, and short or long path.
 * @returns Latitude from -90 to 90, longitude from -180 to 180; a line between two points may cross the 180th meridian.
 *   The path starts at the heading of `calculateHeading`, or of `calculateHeadingLongpath` on the long path.
 * @throws {LocatorError} A text is not a locator; a `ValueError`.
 * @throws {ValueError} The number of points is not an integer from 2 to 100,000.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {AttributeError} A place is neither text nor a position.
 * @example
 * pathPoints("JN48QM", "EM10", { points: 3 }).map(({ latitude }) => Math.round(latitude)); // => [49, 54, 31]
 */
export function pathPoints(
  locator1: string | Position,
  locator2: string | Position,
  { points, longpath }: PathOptions,
): Position[] {
  const from = placeOf(locator1, "locator1");
  const to = placeOf(locator2, "locator2");
  if (!Number.isInteger(points) || points < 2 || points > MAX_POINTS) {
    const expected = `an integer from 2 to ${MAX_POINTS}`;
    throw new ValueError({ argument: "points", value: points, expected });
  }
  return pointsAlong(from, to, points, longpath === true ? "long" : "short");
}

/**
 * The next sunrise and sunset at a locator, and the next begin and end of civil twilight.
 *
 * The standard definitions, at sea level: the sun rises and sets when its upper limb is at -0°34', where average
 * refraction shows it on the horizon, and civil twilight is when its center is above -6°.
 *
 * @param locator 4, 6, 8 or 10 characters in any case, for the center of the rectangle; a position, or its text: `48.5,9.3`.
 * @param calcDate The moment after which to search; now when left out or `null`.
 * @returns The next event of each kind after that moment, searched separately; it may be a few minutes more than 24
 *   hours away. `null` if the sun's next rise (or descent) does not cross the altitude: polar day or night. For the
 *   years 1900 to 2100 the sun is within 0.001° of the altitude at these times: up to 60° of latitude that is less than
 *   a second, and 0.3 s for 95 % of them. From the year 1 to 3000 times are within half a minute there, as far as the
 *   rotation of the earth is known. UTC is used as universal time, from which it differs by up to 0.9 s.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000.
 * @throws {AttributeError} The place is neither text nor a position.
 * @see Meeus, *Astronomical Algorithms*, 2nd ed., ch. 15: rising, transit and setting; ch. 25: the sun.
 * @see https://aa.usno.navy.mil/faq/RST_defs the definitions.
 * @example
 * const { sunrise, sunset } = calculateSunriseSunset("JN48QM", new Date("2014-01-01T00:00Z"));
 * sunrise?.toISOString().slice(0, 16); // => "2014-01-01T07:14"
 * sunset?.toISOString().slice(0, 16); // => "2014-01-01T15:37"
 */
export function calculateSunriseSunset(locator: string | Position, calcDate?: Date | null): SunTimes {
  const position = placeOf(locator, "locator");
  return sunTimes(position, ephemerisMoment(calcDate, "calcDate"));
}

/**
 * Elevation and azimuth of the sun at a place.
 *
 * @param place A locator, for the center of its rectangle; a position, or its text: `48.5,9.3`.
 * @param date The moment; now when left out or `null`.
 * @returns Elevation of the sun's center above the horizon and azimuth clockwise from true north, in degrees, within
 *   0.001° from 1900 to 2100. Geometric: without refraction, which raises the sun by 0.5° at the horizon and by 0.1° at
 *   an elevation of 10°.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000.
 * @throws {AttributeError} The place is neither text nor a position.
 * @throws {ArgumentTypeError} A coordinate is not a number; a `TypeError`.
 * @see Meeus, *Astronomical Algorithms*, 2nd ed., ch. 13: coordinates; ch. 25: the sun.
 * @example
 * const { elevation, azimuth } = sunPosition("JN48QM", new Date("2024-06-20T11:24Z"));
 * [elevation.toFixed(1), azimuth.toFixed(1)]; // => ["64.9", "179.9"]
 */
export function sunPosition(place: string | Position, date?: Date | null): SunPosition {
  const isPosition = typeof place === "object" && place !== null;
  const position = isPosition ? checkPosition(place) : placeOf(place, "place");
  return directionOfSun(position, ephemerisMoment(date, "date"));
}

const LOCATOR_TEXT = "a locator as a string";
const MAX_POINTS = 100_000;

function placeOf(place: string | Position, argument: string): Position {
  if (typeof place === "string" || (typeof place === "object" && place !== null && "latitude" in place))
    return positionOfPlace(place, argument);
  throw new AttributeError({ argument, value: place, expected: LOCATOR_TEXT });
}

function isEllipsoid(options: EarthOptions | undefined): boolean {
  const model = options?.model;
  if (model === undefined || model === "sphere") return false;
  if (model === "wgs84") return true;
  throw new ValueError({ argument: "model", value: model, expected: '"sphere" or "wgs84"' });
}

function precisionError(precision: unknown): Error {
  const facts = { argument: "precision", value: precision, expected: "4, 6, 8 or 10" };
  return typeof precision === "number" ? new ValueError(facts) : new ArgumentTypeError(facts);
}
