/** Caps of the globe around lines and sections, to leave out quickly what a section doesn't show. */
import type { FlatPoint } from "./flat-line.js";

/** All places within an angle of a direction. */
export interface Cap {
  /** Unit vector to the middle. */
  readonly middle: Vector;
  readonly radians: number;
}

type Vector = readonly [x: number, y: number, z: number];

const RADIANS = Math.PI / 180;
/** Edges between points bend out of a cap by less than this, in radians. */
const MARGIN = 2 * RADIANS;

/** The cap around a place. */
export function capAt(place: FlatPoint, degrees: number): Cap {
  return { middle: vectorOf(place), radians: degrees * RADIANS };
}

/** A cap that contains all points of a line or ring. */
export function capAround(points: readonly FlatPoint[]): Cap {
  const vectors = points.map(vectorOf);
  const sum = vectors.reduce(([x, y, z], [dx, dy, dz]): Vector => [x + dx, y + dy, z + dz], [0, 0, 0]);
  const length = Math.hypot(...sum);
  if (length === 0) return { middle: [0, 0, 1], radians: Math.PI };
  const middle: Vector = [sum[0] / length, sum[1] / length, sum[2] / length];
  const radians = vectors.reduce((most, vector) => Math.max(most, angleBetween(middle, vector)), 0);
  return { middle, radians: radians + MARGIN };
}

export function capsMeet(a: Cap, b: Cap): boolean {
  return angleBetween(a.middle, b.middle) <= a.radians + b.radians;
}

function vectorOf([longitude, latitude]: FlatPoint): Vector {
  const across = Math.cos(latitude * RADIANS);
  const turn = longitude * RADIANS;
  return [across * Math.cos(turn), across * Math.sin(turn), Math.sin(latitude * RADIANS)];
}

function angleBetween([x1, y1, z1]: Vector, [x2, y2, z2]: Vector): number {
  return Math.acos(Math.min(Math.max(x1 * x2 + y1 * y2 + z1 * z2, -1), 1));
}
