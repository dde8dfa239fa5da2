/**
 * Great circles on the sphere of 6371 km: distance, heading, and points along the path.
 *
 * @see https://en.wikipedia.org/wiki/Haversine_formula: the distance.
 * @see https://en.wikipedia.org/wiki/Great-circle_navigation: the heading, and the points.
 */
import type { Position } from "./position.js";

/** Mean radius of the earth, (2a + b) / 3 of WGS84 rounded to a kilometer, in km (IUGG 1980: R1). */
export const EARTH_RADIUS_KM = 6371;

/** Length of a great circle, in km: 40030.17. */
export const CIRCUMFERENCE_KM = 2 * Math.PI * EARTH_RADIUS_KM;

const RADIANS = Math.PI / 180;
const HALF_RADIANS = RADIANS / 2;
const DEGREES = 180 / Math.PI;

/** Components of a direction below this are rounding errors: 6 µm on the ground. */
const NEGLIGIBLE = 1e-12;

/**
 * The unit vector to the end point in the local frame of the start: `ahead` points from the center of the earth to the
 * start, `north` and `east` lie in its tangent plane.
 */
interface Direction {
  readonly ahead: number;
  readonly north: number;
  readonly east: number;
}

/** The distance in km along the shorter arc: from 0 to 20015.09, exact to a millimeter on the sphere. */
export function distanceKm(from: Position, to: Position): number {
  // The haversine formula; the product of the cosines is computed from sines, which is faster:
  // cos a cos b = 1 - sin²((a - b) / 2) - sin²((a + b) / 2).
  const difference = Math.sin((to.latitude - from.latitude) * HALF_RADIANS) ** 2;
  const middle = Math.sin((to.latitude + from.latitude) * HALF_RADIANS) ** 2;
  const turn = Math.sin((to.longitude - from.longitude) * HALF_RADIANS) ** 2;
  const haversine = difference + (1 - difference - middle) * turn;
  // Close to the antipode the arcsine loses half of the digits.
  const radians = haversine < 0.999 ? 2 * Math.asin(Math.sqrt(haversine)) : arc(directionTo(from, to));
  return radians * EARTH_RADIUS_KM;
}

/**
 * The initial heading of the shorter arc: degrees clockwise from north, 0 <= heading < 360. From a point to itself and
 * to its antipode, where every heading is correct, it is 0; at the poles north is along the given longitude.
 */
export function headingDegrees(from: Position, to: Position): number {
  return compassDegrees(bearing(directionTo(from, to)));
}

/** An azimuth in radians as degrees, 0 <= azimuth < 360. */
export function compassDegrees(radians: number): number {
  const degrees = radians * DEGREES;
  const positive = degrees < 0 ? degrees + 360 : degrees;
  return positive >= 360 ? 0 : positive; // -1e-15 + 360 is 360
}

/** Evenly spaced points along a great circle, both ends included, on the short or the long path. */
export function pointsAlong(
  from: Position,
  to: Position,
  points: number,
  path: "short" | "long",
): Position[] {
  const direction = directionTo(from, to);
  const length = path === "short" ? arc(direction) : arc(direction) - 2 * Math.PI;
  const heading = bearing(direction);
  const between = Array.from({ length: points - 2 }, (_, i) =>
    destination(from, heading, (length * (i + 1)) / (points - 1)),
  );
  return [from, ...between, to];
}

function directionTo(from: Position, to: Position): Direction {
  const latitude1 = from.latitude * RADIANS;
  const latitude2 = to.latitude * RADIANS;
  const turn = (to.longitude - from.longitude) * RADIANS;
  const sin1 = Math.sin(latitude1);
  const cos1 = Math.cos(latitude1);
  const sin2 = Math.sin(latitude2);
  const cos2 = Math.cos(latitude2);
  const along = cos2 * Math.cos(turn);
  return {
    ahead: sin1 * sin2 + cos1 * along,
    north: cos1 * sin2 - sin1 * along,
    east: cos2 * Math.sin(turn),
  };
}

function arc({ ahead, north, east }: Direction): number {
  return Math.atan2(Math.sqrt(north * north + east * east), ahead);
}

function bearing({ north, east }: Direction): number {
  return Math.abs(north) < NEGLIGIBLE && Math.abs(east) < NEGLIGIBLE ? 0 : Math.atan2(east, north);
}

/** The destination point at a heading and an arc length, both in radians. */
export function destination(from: Position, heading: number, length: number): Position {
  const latitude = from.latitude * RADIANS;
  const ahead = Math.cos(length);
  const north = Math.sin(length) * Math.cos(heading);
  const east = Math.sin(length) * Math.sin(heading);
  const outward = ahead * Math.cos(latitude) - north * Math.sin(latitude);
  const up = ahead * Math.sin(latitude) + north * Math.cos(latitude);
  const longitude = from.longitude + Math.atan2(east, outward) * DEGREES;
  return {
    latitude: Math.atan2(up, Math.hypot(outward, east)) * DEGREES,
    longitude: longitude - 360 * Math.round(longitude / 360),
  };
}
