/**
 * Geodesics on the WGS84 ellipsoid (the inverse problem): distance and heading between any two points, antipodes
 * included.
 *
 * A geodesic on the ellipsoid corresponds to a great circle on an auxiliary sphere of reduced latitudes. The azimuth
 * at the start is the only unknown: it is iterated until the geodesic reaches the other latitude at the right longitude.
 *
 * @see C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43-55 (2013): equations in brackets are its.
 *   https://doi.org/10.1007/s00190-012-0578-z
 */
import { compassDegrees } from "./great-circle.js";
import type { Position } from "./position.js";

/** WGS84: equatorial radius in km and flattening. */
const A = 6378.137;
const F = 1 / 298.257_223_563;
const B = A * (1 - F);
const N = F / (2 - F);
const SECOND_ECCENTRICITY_SQUARED = (F * (2 - F)) / (1 - F) ** 2;

const RADIANS = Math.PI / 180;

/** Latitudes below this are treated as the equator, in degrees: 11 µm on the ground, well above underflow. */
const ON_EQUATOR = 1e-10;

/** Convergence threshold of the longitude, in radians: 0.6 µm on the ground. */
const CONVERGED = 1e-13;

/** Azimuths in radians from east over south. */
const NORTH = -Math.PI / 2;
const SOUTH = Math.PI / 2;

/** The azimuth takes 3 iterations on average, 50 near points where two geodesics are equally short. */
const MAX_ITERATIONS = 200;

/** The shortest path between two points. */
export interface Geodesic {
  /** In km, exact to 0.1 mm. */
  readonly distanceKm: number;
  /** At the start, degrees clockwise from north: 0 <= heading < 360; 0 from a point to itself. */
  readonly heading: number;
}

/** An end point on the auxiliary sphere: sine and cosine of the reduced latitude. */
interface End {
  readonly sin: number;
  readonly cos: number;
}

/** The point where the geodesic of an azimuth meets the latitude of the other end. */
interface Arrival {
  readonly sinAzimuth2: number;
  readonly cosAzimuth2: number;
  /** Arcs from the equator to the ends, in radians. */
  readonly sigma1: number;
  readonly sigma2: number;
  /** Expansion parameter of the series, at most 0.0017. */
  readonly epsilon: number;
  /** Longitude difference to the start, eastward, in radians. */
  readonly longitude: number;
}

/** The geodesic from one point to another. */
export function geodesic(from: Position, to: Position): Geodesic {
  let turn = to.longitude - from.longitude;
  turn -= 360 * Math.round(turn / 360);
  if (turn === 0 && from.latitude === to.latitude) return { distanceKm: 0, heading: 0 };

  // Mirrored and swapped so that the path leads east, from the end farther from the equator, which is in the south.
  const swapped = Math.abs(from.latitude) < Math.abs(to.latitude);
  const [start, end] = swapped ? [to, from] : [from, to];
  const mirrored = start.latitude > 0;
  const path = eastward(
    reduced(-Math.abs(start.latitude)),
    reduced(mirrored ? -end.latitude : end.latitude),
    Math.abs(turn) * RADIANS,
  );

  const east = swapped ? path.sinAzimuth2 : path.sinAzimuth1;
  const north = swapped ? path.cosAzimuth2 : path.cosAzimuth1;
  const heading = Math.atan2(turn < 0 ? -east : east, swapped === mirrored ? north : -north);
  return { distanceKm: path.distanceKm, heading: compassDegrees(heading) };
}

function reduced(latitude: number): End {
  // -0 stays -0 on the equator, so that atan2 still sees a start in the south.
  const degrees = Math.abs(latitude) < ON_EQUATOR ? Math.trunc(latitude) : latitude;
  const beta = Math.atan((1 - F) * Math.tan(degrees * RADIANS)); // (6)
  return { sin: Math.sin(beta), cos: Math.cos(beta) };
}

/** The geodesic between canonical ends: `start` in the south, `end` nearer the equator, `turn` from 0 to π. */
function eastward(start: End, end: End, turn: number) {
  if (start.sin === 0 && turn <= (1 - F) * Math.PI) {
    // Along the equator, unless a path over a pole is shorter.
    return { distanceKm: A * turn, sinAzimuth1: 1, cosAzimuth1: 0, sinAzimuth2: 1, cosAzimuth2: 0 };
  }
  const azimuth = findAzimuth(start, end, turn);
  const { sinAzimuth2, cosAzimuth2, sigma1, sigma2, epsilon } = follow(azimuth, start, end);
  return {
    distanceKm: B * (i1(epsilon, sigma2) - i1(epsilon, sigma1)), // (7)
    sinAzimuth1: Math.cos(azimuth),
    cosAzimuth1: -Math.sin(azimuth),
    sinAzimuth2,
    cosAzimuth2,
  };
}

/**
 * The azimuth whose geodesic arrives at `turn`, in radians from east over south: near the equator the result depends
 * on small deviations from east, which would lose their digits next to a right angle.
 *
 * Exactly one exists between north, which arrives at 0, and south, which arrives at π. The first estimate is the
 * azimuth on the sphere; the bracket then closes by the method of Anderson and Björck (1973).
 */
function findAzimuth(start: End, end: End, turn: number): number {
  if (turn === 0) return NORTH;
  if (turn === Math.PI) return SOUTH;
  const arrival = (azimuth: number) => follow(azimuth, start, end).longitude - turn;

  let last = Math.atan2(start.sin * end.cos * Math.cos(turn) - start.cos * end.sin, end.cos * Math.sin(turn));
  let lastMiss = arrival(last);
  let other = lastMiss < 0 ? SOUTH : NORTH;
  let otherMiss = lastMiss < 0 ? Math.PI - turn : -turn;
  for (let i = 0; i < MAX_ITERATIONS && Math.abs(lastMiss) > CONVERGED; i++) {
    const next = last - (lastMiss * (other - last)) / (otherMiss - lastMiss);
    if (next === last) break;
    const miss = arrival(next);
    if (miss < 0 === lastMiss < 0) {
      // The far end of the bracket stays: its weight is reduced so that it moves next.
      otherMiss *= Math.max(1 - miss / lastMiss, 0.1);
    } else {
      other = last;
      otherMiss = lastMiss;
    }
    last = next;
    lastMiss = miss;
  }
  return last;
}

/** The point where the geodesic of an azimuth (from east over south) meets the other end's latitude, going north. */
function follow(azimuth: number, start: End, end: End): Arrival {
  const sin1 = Math.cos(azimuth);
  const cos1 = -Math.sin(azimuth);
  const sin0 = sin1 * start.cos; // azimuth at the equator (5)
  const cos0Squared = cos1 * cos1 + (sin1 * start.sin) ** 2;
  const sinAzimuth2 = Math.min(sin0 / end.cos, 1);
  // Two equal forms: one is exact near the equator, the other near the pole (45).
  const difference =
    start.cos < -start.sin
      ? (end.cos - start.cos) * (start.cos + end.cos)
      : (start.sin - end.sin) * (start.sin + end.sin);
  const cosAzimuth2 = Math.sqrt(Math.max((cos1 * start.cos) ** 2 + difference, 0)) / end.cos;

  const sigma1 = Math.atan2(start.sin, cos1 * start.cos); // (11)
  const sigma2 = Math.atan2(end.sin, cosAzimuth2 * end.cos);
  const omega1 = Math.atan2(sin0 * start.sin, cos1 * start.cos); // (12)
  const omega2 = Math.atan2(sin0 * end.sin, cosAzimuth2 * end.cos);
  const root = Math.sqrt(1 + SECOND_ECCENTRICITY_SQUARED * cos0Squared); // of 1 + k² (9)
  const epsilon = (root - 1) / (root + 1); // (16)
  const longitude = omega2 - omega1 - F * sin0 * (i3(epsilon, sigma2) - i3(epsilon, sigma1)); // (8)
  return { sinAzimuth2, cosAzimuth2, sigma1, sigma2, epsilon, longitude };
}

/** Integral of the distance, in units of the polar radius (15), (17), (18): to the third order, which is 6 µm. */
function i1(epsilon: number, sigma: number): number {
  const square = epsilon * epsilon;
  const sines =
    (-epsilon / 2 + (3 / 16) * epsilon * square) * Math.sin(2 * sigma) -
    (square / 16) * Math.sin(4 * sigma) -
    ((epsilon * square) / 48) * Math.sin(6 * sigma);
  return ((1 + square / 4) / (1 - epsilon)) * (sigma + sines);
}

/** Integral of the longitude (23), (24), (25): to the third order. */
function i3(epsilon: number, sigma: number): number {
  const square = epsilon * epsilon;
  const cube = epsilon * square;
  const a3 = 1 - (1 / 2 - N / 2) * epsilon - (1 / 4 + N / 8) * square - cube / 16;
  const sines =
    ((1 / 4 - N / 4) * epsilon + square / 8 + (3 / 64) * cube) * Math.sin(2 * sigma) +
    ((1 / 16 - (3 / 32) * N) * square + (3 / 64) * cube) * Math.sin(4 * sigma) +
    (5 / 192) * cube * Math.sin(6 * sigma);
  return a3 * (sigma + sines);
}
