/** Finds a place for a label within an area: a point far from its edges. */
import type { Position } from "../../geo/position.js";
import { thinned } from "./flat-line.js";

type Ring = readonly (readonly [longitude: number, latitude: number])[];

/** Points of the grid that is searched, along the longer side. */
const STEPS = 20;
/** A label is wider than high: distances along a parallel count for less. */
const ASPECT = 1.6;

/** Share of the distance from the middle that counts against a point, where several are equally far from the edges. */
const OFF_CENTER = 0.001;

/**
 * A point of the largest polygon that is far from its edges, in longitude and latitude.
 *
 * @param detail Points of the outline that are closer than this, in degrees, are left out.
 */
export function innerPoint(polygons: readonly (readonly Ring[])[], detail: number): Position {
  const [found = []] = polygons.toSorted((a, b) => areaOf(b[0]) - areaOf(a[0]));
  const largest = found.map((ring) => thinned(ring, detail));
  const { west, east, south, north } = boundsOf(largest[0] ?? []);
  const step = Math.max((east - west) / ASPECT, north - south) / STEPS;
  const middle: Position = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  let best = middle;
  let farthest = -Infinity;
  for (let latitude = south + step / 2; latitude < north; latitude += step) {
    for (let longitude = west + step / 2; longitude < east; longitude += step * ASPECT) {
      const off = Math.hypot(latitude - middle.latitude, (longitude - middle.longitude) / ASPECT);
      const distance = signedDistance({ latitude, longitude }, largest) - OFF_CENTER * off;
      if (distance > farthest) [best, farthest] = [{ latitude, longitude }, distance];
    }
  }
  return best;
}

function areaOf(ring: Ring = []): number {
  let area = 0;
  for (const [index, [x, y]] of ring.entries()) {
    const [x0, y0] = ring.at(index - 1) ?? [x, y];
    area += x0 * y - x * y0;
  }
  return Math.abs(area) / 2;
}

function boundsOf(ring: Ring) {
  const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)];
  return { west: Math.min(...xs), east: Math.max(...xs), south: Math.min(...ys), north: Math.max(...ys) };
}

/** Distance to the nearest edge; negative outside. */
function signedDistance({ latitude: y, longitude }: Position, rings: readonly Ring[]): number {
  const x = longitude / ASPECT;
  let inside = false;
  let nearest = Infinity;
  for (const ring of rings) {
    for (const [index, [end, y2]] of ring.entries()) {
      const [start, y1] = ring.at(index - 1) ?? [end, y2];
      const [x1, x2] = [start / ASPECT, end / ASPECT];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
      nearest = Math.min(nearest, squaredDistance(x - x1, y - y1, x2 - x1, y2 - y1));
    }
  }
  return inside ? Math.sqrt(nearest) : -Math.sqrt(nearest);
}

/** Squared distance of a point from a line that begins at 0, 0. */
function squaredDistance(x: number, y: number, dx: number, dy: number): number {
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(Math.max((x * dx + y * dy) / length, 0), 1);
  return (x - along * dx) ** 2 + (y - along * dy) ** 2;
}
