/** Finds the nearest of many positions: a grid of cells of a degree, searched in growing circles. */
import { distanceKm, EARTH_RADIUS_KM } from "../geo/great-circle.js";
import type { Position } from "../geo/position.js";

/** An entry with its position. */
export interface Placed<Entry> {
  readonly entry: Entry;
  readonly position: Position;
}

export interface NearestQuery<Entry> {
  readonly limit: number;
  readonly maxKm: number;
  readonly accepts: (entry: Entry) => boolean;
}

export interface PositionGrid<Entry> {
  /** In order of distance. */
  nearest(from: Position, query: NearestQuery<Entry>): Placed<Entry>[];
}

/** Radius of the first circle; each further one is twice as large. */
const FIRST_KM = 50;
const HALF_CIRCUMFERENCE_KM = Math.PI * EARTH_RADIUS_KM;
const KM_PER_DEGREE = HALF_CIRCUMFERENCE_KM / 180;

/** A grid of the entries that have a position. */
export function createPositionGrid<Entry extends { readonly position?: Position | undefined }>(
  entries: Iterable<Entry>,
): PositionGrid<Entry> {
  const cells = new Map<number, Placed<Entry>[]>();
  for (const entry of entries) {
    const { position } = entry;
    if (position === undefined) continue;
    const key = cellKey(Math.floor(position.latitude), Math.floor(position.longitude));
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [{ entry, position }]);
    else cell.push({ entry, position });
  }

  return {
    nearest(from, { limit, maxKm, accepts }) {
      for (let radiusKm = FIRST_KM; ; radiusKm *= 2) {
        const reachKm = Math.min(radiusKm, maxKm);
        const found = around(from, reachKm)
          .filter(({ entry }) => accepts(entry))
          .map((placed) => ({ placed, km: distanceKm(from, placed.position) }))
          .filter(({ km }) => km <= reachKm)
          .sort((a, b) => a.km - b.km);
        if (found.length >= limit || reachKm === maxKm || reachKm >= HALF_CIRCUMFERENCE_KM)
          return found.slice(0, limit).map(({ placed }) => placed);
      }
    },
  };

  /** The entries of all cells that a circle may touch, and of others nearby. */
  function around({ latitude, longitude }: Position, km: number): Placed<Entry>[] {
    const degrees = km / KM_PER_DEGREE;
    const south = Math.max(-90, Math.floor(latitude - degrees));
    const north = Math.min(90, Math.floor(latitude + degrees));
    const found: Placed<Entry>[] = [];
    const farthest = Math.max(Math.abs(latitude - degrees), Math.abs(latitude + degrees));
    // The circle's meridians: asin(sin r / cos latitude); a circle around a pole has all.
    const width =
      farthest >= 90
        ? 180
        : (Math.asin(Math.min(Math.sin(toRadians(degrees)) / Math.cos(toRadians(latitude)), 1)) * 180) /
          Math.PI;
    for (let row = south; row <= north; row++) {
      const first = Math.floor(longitude - width);
      const last = Math.min(Math.floor(longitude + width), first + 359);
      for (let column = first; column <= last; column++)
        found.push(...(cells.get(cellKey(row, column)) ?? []));
    }
    return found;
  }
}

/** The same for 180° west and 180° east. */
function cellKey(row: number, column: number): number {
  return (row + 90) * 360 + ((column + 540) % 360);
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
