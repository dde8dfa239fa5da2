/**
 * Finds the regions that contain a point: polygons on a grid, described by the lines that neighbors share.
 *
 * The edges are sorted into rows of latitude. A line from the point to the east crosses the border of a region an odd number of
 * times if the point is inside, so that one pass over the edges of one row answers for all regions.
 */
import type { Rectangle } from "./locator.js";

/** A region: rings of indices of lines; `~index` is a line in reverse. */
export interface Region {
  /** From 0 to 1023. */
  readonly id: number;
  readonly rings: readonly (readonly number[])[];
}

/** Lines and regions on a grid. */
export interface RegionMap {
  /** Longitude, latitude, longitude, ... in units of the grid. */
  readonly lines: readonly Int32Array[];
  readonly regions: readonly Region[];
  readonly unitsPerDegree: number;
}

/** Answers which regions are at a place. Coordinates are in degrees; the ids ascend. */
export interface RegionIndex {
  /** The regions that contain a point, or have it on their border. */
  at(longitude: number, latitude: number): number[];
  /** The regions with a part of the inside of a rectangle. */
  within(rectangle: Rectangle): number[];
  /** The regions with a border not farther than some degrees of a great circle, at most 1. */
  around(longitude: number, latitude: number, degrees: number): number[];
  /** The regions with the nearest border, if it is not farther than some degrees of a great circle, at most 1. */
  nearest(longitude: number, latitude: number, degrees: number): number[];
}

/** Points closer to an edge than this are on it: 0.1 m. Far more than rounding errors, far less than the errors of borders. */
const TOLERANCE_DEGREES = 1e-6;

/** Height of a row of edges, in degrees. */
const ROW = 0.25;
const LAST_ROW = 180 / ROW - 1;

const MAX_REGIONS = 1024;

/** An index of a map. Building it takes some milliseconds. */
export function createRegionIndex(map: RegionMap): RegionIndex {
  const { unitsPerDegree } = map;
  const tolerance = TOLERANCE_DEGREES * unitsPerDegree;
  const rows = edgeRows(map);
  /** By region, 1 after an odd number of crossings; all 0 between queries. */
  const isOdd = new Uint8Array(MAX_REGIONS);

  return {
    at(longitude, latitude) {
      const found = findAt(longitude, latitude);
      // One meridian: what lies east of 180° W lies west of 180° E too.
      if (Math.abs(longitude) === 180) found.push(...findAt(-longitude, latitude));
      return ascending(found);
    },

    within({ west, south, east, north }) {
      const box = {
        west: west * unitsPerDegree + tolerance,
        south: south * unitsPerDegree + tolerance,
        east: east * unitsPerDegree - tolerance,
        north: north * unitsPerDegree - tolerance,
      };
      const edges = rowsBetween(south, north).flatMap((row) => row.filter((edge) => isInside(edge, box)));
      const center = findAt((west + east) / 2, (south + north) / 2);
      return ascending([...center, ...edges.flatMap(({ owners }) => owners)]);
    },

    around(longitude, latitude, degrees) {
      return ascending(offsetsWithin(longitude, latitude, degrees).flatMap(({ owners }) => owners));
    },

    nearest(longitude, latitude, degrees) {
      const offsets = offsetsWithin(longitude, latitude, degrees);
      const least = Math.min(...offsets.map(({ offset }) => offset));
      return ascending(offsets.flatMap(({ owners, offset }) => (offset <= least + tolerance ? owners : [])));
    },
  };

  /** The regions of a point; not sorted, and those of which it is on the border repeatedly. */
  function findAt(longitude: number, latitude: number): number[] {
    const x = longitude * unitsPerDegree;
    const y = latitude * unitsPerDegree;
    const found: number[] = [];
    const crossed: number[] = [];
    for (const edge of rows[rowOf(latitude)] ?? []) {
      if (y > edge.y2 + tolerance || y < edge.y1 - tolerance) continue;
      if (isCrossedFrom(edge, x, y)) {
        for (const id of edge.owners) {
          isOdd[id] = 1 - (isOdd[id] as number);
          crossed.push(id);
        }
      }
      if (isNear(edge, x, tolerance) && offsetFrom(edge, x, y, 1) <= tolerance) found.push(...edge.owners);
    }
    for (const id of crossed) {
      if (isOdd[id] === 1) found.push(id);
      isOdd[id] = 0;
    }
    return found;
  }

  /** The edges near a point, with their distances in units of the grid. */
  function offsetsWithin(
    longitude: number,
    latitude: number,
    degrees: number,
  ): { owners: readonly number[]; offset: number }[] {
    const narrowing = Math.cos((latitude * Math.PI) / 180);
    const limit = degrees * unitsPerDegree;
    const reach = limit / Math.max(narrowing, 1e-9);
    const y = latitude * unitsPerDegree;
    const found: { owners: readonly number[]; offset: number }[] = [];
    // A place close to 180° is close to edges on the other side too.
    const turns = Math.abs(longitude) + reach / unitsPerDegree < 180 ? [0] : [-360, 0, 360];
    for (const row of rowsBetween(latitude - degrees, latitude + degrees))
      for (const edge of row) {
        if (y > edge.y2 + limit || y < edge.y1 - limit) continue;
        for (const turn of turns) {
          const x = (longitude + turn) * unitsPerDegree;
          if (!isNear(edge, x, reach)) continue;
          const offset = offsetFrom(edge, x, y, narrowing);
          if (offset <= limit) found.push({ owners: edge.owners, offset });
        }
      }
    return found;
  }

  function rowsBetween(south: number, north: number): Edge[][] {
    return rows.slice(rowOf(south), rowOf(north) + 1);
  }
}

/** Whether a longitude is between those of an edge, or not farther away than a distance. */
function isNear({ x1, x2 }: Edge, x: number, distance: number): boolean {
  return x1 < x2 ? x >= x1 - distance && x <= x2 + distance : x >= x2 - distance && x <= x1 + distance;
}

/** The edges by row; those that reach into several rows, or close to them, are in all of these. */
function edgeRows({ lines, regions, unitsPerDegree }: RegionMap): Edge[][] {
  const rows: Edge[][] = Array.from({ length: LAST_ROW + 1 }, () => []);
  const owners = ownersOf(regions, lines.length);
  for (const [index, line] of lines.entries())
    for (let i = 0; i + 3 < line.length; i += 2) {
      const edge = edgeAt(line, i, owners[index] ?? []);
      const south = edge.y1 / unitsPerDegree - TOLERANCE_DEGREES;
      const north = edge.y2 / unitsPerDegree + TOLERANCE_DEGREES;
      for (let row = rowOf(south); row <= rowOf(north); row++) rows[row]?.push(edge);
    }
  return rows;
}

function ownersOf(regions: readonly Region[], count: number): number[][] {
  const owners: number[][] = Array.from({ length: count }, () => []);
  for (const { id, rings } of regions)
    for (const index of rings.flat()) owners[index < 0 ? ~index : index]?.push(id);
  return owners;
}

function edgeAt(line: Int32Array, at: number, owners: readonly number[]): Edge {
  const x1 = line[at] ?? 0;
  const y1 = line[at + 1] ?? 0;
  const x2 = line[at + 2] ?? 0;
  const y2 = line[at + 3] ?? 0;
  return y1 <= y2 ? { x1, y1, x2, y2, owners } : { x1: x2, y1: y2, x2: x1, y2: y1, owners };
}

function rowOf(latitude: number): number {
  return Math.min(Math.max(Math.floor((latitude + 90) / ROW), 0), LAST_ROW);
}

function ascending(ids: readonly number[]): number[] {
  if (ids.length < 2) return [...ids];
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** An edge from its lower to its upper end. */
interface Edge {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  /** At least `y1`. */
  readonly y2: number;
  /** The regions on its sides; twice the same one where it only cuts a region. */
  readonly owners: readonly number[];
}

/** Whether a line from a point to the east crosses an edge. The lower end belongs to the edge, the upper one does not. */
function isCrossedFrom({ x1, y1, x2, y2 }: Edge, x: number, y: number): boolean {
  return y >= y1 && y < y2 && (x - x1) * (y2 - y1) < (y - y1) * (x2 - x1);
}

/** The distance of a point from an edge, with differences of longitude multiplied by `narrowing`. */
function offsetFrom(edge: Edge, x: number, y: number, narrowing: number): number {
  const alongX = (edge.x2 - edge.x1) * narrowing;
  const alongY = edge.y2 - edge.y1;
  const fromX = (x - edge.x1) * narrowing;
  const fromY = y - edge.y1;
  const squaredLength = alongX * alongX + alongY * alongY;
  const part = squaredLength === 0 ? 0 : (fromX * alongX + fromY * alongY) / squaredLength;
  const foot = Math.min(Math.max(part, 0), 1);
  return Math.hypot(fromX - foot * alongX, fromY - foot * alongY);
}

/**
 * Whether an edge has points inside a rectangle, whose sides don't belong to it.
 *
 * @see Liang and Barsky, "A New Concept and Method for Line Clipping", ACM TOG 3 (1984).
 */
function isInside({ x1, y1, x2, y2 }: Edge, { west, south, east, north }: Rectangle): boolean {
  let first = 0;
  let last = 1;
  const sides = [
    [x1 - x2, x1 - west],
    [x2 - x1, east - x1],
    [y1 - y2, y1 - south],
    [y2 - y1, north - y1],
  ] as const;
  for (const [direction, room] of sides) {
    if (direction === 0 && room <= 0) return false;
    if (direction < 0) first = Math.max(first, room / direction);
    if (direction > 0) last = Math.min(last, room / direction);
  }
  return first < last;
}
