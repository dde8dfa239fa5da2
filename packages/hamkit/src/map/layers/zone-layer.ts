/** The borders of the CQ and ITU zones: lines, and a place for the number of each zone. Loaded with the first map that has them. */
import type { Position } from "../../geo/position.js";
import { zonePolygons, type LongitudeLatitude } from "../../zones/zone-polygons.js";
import { GRID_PER_DEGREE, readZoneBorders, type ZoneKind } from "../../zones/zone-borders.js";
import { zonesAt } from "../../zones/zones-at.js";
import { subdivided, thinned } from "./flat-line.js";

/** The borders of one kind of zones. */
export interface ZoneLines {
  /** Lines in longitude and latitude; between two points at most 1.5° straight in these. */
  readonly lines: readonly LongitudeLatitude[][];
  readonly labels: readonly { readonly zone: number; readonly place: Position }[];
}

/** Details of outlines that don't matter for the place of a number, in degrees. */
const LABEL_DETAIL = 0.5;

/** Polygons end here, where no zones meet. */
const TOP = 84.999;

/** Cache: a program draws many maps of one kind. */
const known = new Map<ZoneKind, ZoneLines>();

export function zoneLines(kind: ZoneKind): ZoneLines {
  const cached = known.get(kind);
  if (cached !== undefined) return cached;
  const { arcs } = readZoneBorders(kind);
  const lines = arcs.flatMap((arc) => bordersOf(pointsOf(arc), kind)).map(subdivided);
  const labels = zonePolygons(kind).features.map(({ properties, geometry }) => ({
    zone: properties.zone,
    place: innerPoint(geometry.coordinates, LABEL_DETAIL),
  }));
  known.set(kind, { lines, labels });
  return { lines, labels };
}

function pointsOf(arc: Int32Array): LongitudeLatitude[] {
  return Array.from({ length: arc.length / 2 }, (_, index) => [
    (arc[2 * index] ?? 0) / GRID_PER_DEGREE,
    (arc[2 * index + 1] ?? 0) / GRID_PER_DEGREE,
  ]);
}

/** The parts of a line that are borders: not the edges where polygons are cut at 180° or end near the poles. */
function bordersOf(points: readonly LongitudeLatitude[], kind: ZoneKind): LongitudeLatitude[][] {
  const parts: LongitudeLatitude[][] = [];
  let part: LongitudeLatitude[] = [];
  for (const [index, end] of points.entries()) {
    const start = points[index - 1];
    if (start !== undefined && !isBorder(start, end, kind)) {
      if (part.length > 1) parts.push(part);
      part = [];
    }
    part.push(end);
  }
  return part.length > 1 ? [...parts, part] : parts;
}

function isBorder([x1, y1]: LongitudeLatitude, [x2, y2]: LongitudeLatitude, kind: ZoneKind): boolean {
  if (Math.abs(y1) > TOP && Math.abs(y2) > TOP) return false;
  if (Math.abs(x1) < 180 || Math.abs(x2) < 180) return true;
  // Each side of the 180th meridian has a line of its own, which one of them draws.
  const latitude = (y1 + y2) / 2;
  const [west, east] = [-179.999, 179.999].map(
    (longitude) => zonesAt({ latitude, longitude })[kind === "cq" ? "cqz" : "ituz"],
  );
  return x1 > 0 && west?.join() !== east?.join();
}

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
function innerPoint(polygons: readonly (readonly Ring[])[], detail: number): Position {
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
