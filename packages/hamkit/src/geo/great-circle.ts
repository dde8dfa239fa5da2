/**
 * Great circles on the sphere of 6371 km: distance, heading, and points along the way.
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

/** Parts of a direction shorter than this are rounding errors: 6 µm on the ground. */
const NOTHING = 1e-12;

/**
 * The direction of a way's end, seen from its start: `ahead` is what lies along the start's own direction from the
 * center of the earth, `north` and `east` are what is left. A unit vector.
 */
interface Sight {
  readonly ahead: number;
  readonly north: number;
  readonly east: number;
}

/** The way in km along the shorter arc: from 0 to 20015.09, exact to a millimeter of the sphere. */
export function distanceKm(from: Position, to: Position): number {
  // The haversine formula, where the product of the cosines follows from the two sines that are there or cost least:
  // cos a cos b = 1 - sin²((a - b) / 2) - sin²((a + b) / 2).
  const difference = Math.sin((to.latitude - from.latitude) * HALF_RADIANS) ** 2;
  const middle = Math.sin((to.latitude + from.latitude) * HALF_RADIANS) ** 2;
  const turn = Math.sin((to.longitude - from.longitude) * HALF_RADIANS) ** 2;
  const haversine = difference + (1 - difference - middle) * turn;
  // Close to the antipode the arcsine loses half of the digits.
  const way = haversine < 0.999 ? 2 * Math.asin(Math.sqrt(haversine)) : arc(sight(from, to));
  return way * EARTH_RADIUS_KM;
}

/**
 * Direction in which the shorter arc starts: degrees from north over east, 0 <= heading < 360. From a place to
 * itself and to its antipode, where every direction is right, it is 0; at the poles north is along the longitude.
 */
export function headingDegrees(from: Position, to: Position): number {
  return compass(bearing(sight(from, to)));
}

/** The direction of an angle in radians: degrees, 0 <= direction < 360. */
export function compass(radians: number): number {
  const degrees = radians * DEGREES;
  const positive = degrees < 0 ? degrees + 360 : degrees;
  return positive >= 360 ? 0 : positive; // -1e-15 + 360 is 360
}

/** Points along a great circle, evenly spaced, both ends included, by the shorter arc or the other way round. */
export function pointsAlong(
  from: Position,
  to: Position,
  points: number,
  path: "short" | "long",
): Position[] {
  const seen = sight(from, to);
  const way = path === "short" ? arc(seen) : arc(seen) - 2 * Math.PI;
  const heading = bearing(seen);
  const between = Array.from({ length: points - 2 }, (_, i) =>
    travel(from, heading, (way * (i + 1)) / (points - 1)),
  );
  return [from, ...between, to];
}

function sight(from: Position, to: Position): Sight {
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

function arc({ ahead, north, east }: Sight): number {
  return Math.atan2(Math.sqrt(north * north + east * east), ahead);
}

function bearing({ north, east }: Sight): number {
  return Math.abs(north) < NOTHING && Math.abs(east) < NOTHING ? 0 : Math.atan2(east, north);
}

/** Where one gets by following a great circle. */
function travel(from: Position, heading: number, way: number): Position {
  const latitude = from.latitude * RADIANS;
  const ahead = Math.cos(way);
  const north = Math.sin(way) * Math.cos(heading);
  const east = Math.sin(way) * Math.sin(heading);
  const outward = ahead * Math.cos(latitude) - north * Math.sin(latitude);
  const up = ahead * Math.sin(latitude) + north * Math.cos(latitude);
  const longitude = from.longitude + Math.atan2(east, outward) * DEGREES;
  return {
    latitude: Math.atan2(up, Math.hypot(outward, east)) * DEGREES,
    longitude: longitude - 360 * Math.round(longitude / 360),
  };
}
