/** A program's list in memory: lookup by reference, and by distance. */
import { ArgumentTypeError, ValueError } from "../errors.js";
import { distanceKm, headingDegrees, EARTH_RADIUS_KM } from "../geo/great-circle.js";
import { positionOfPlace } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import { plainReference } from "./program-lists.js";
import { readReferences, type ReadReferencesOptions } from "./read-references.js";
import type { Reference, ReferenceProgram } from "./reference.js";
import { renamedReference } from "./renamed-references.js";

/** A program's list. */
export interface ReferenceList {
  readonly program: ReferenceProgram;
  /** Number of references. */
  readonly size: number;
  /** Number of rows without a valid reference, which are left out. */
  readonly skipped: number;
  /**
   * The entry of a reference in any case. A park's reference in the form before March 2024 finds its present one: K-0001 is
   * US-0001, if the list has no K-0001.
   */
  find(reference: string): Reference | undefined;
  /**
   * The references nearest to a place, by distance on the sphere of 6371 km.
   *
   * @throws {LocatorError} @throws {PositionError} The place is neither a locator nor a position; a `ValueError`.
   * @throws {ArgumentTypeError} The place, or a coordinate, has another type; a `TypeError`.
   * @throws {ValueError} An option is out of its range.
   */
  nearest(place: Position | string, options?: NearestOptions): NearReference[];
}

/** Which references are near. */
export interface NearestOptions {
  /** Maximum number of references: 1 to 10,000; default 10. */
  readonly limit?: number | undefined;
  /** Maximum distance in km; default: unlimited. */
  readonly maxKm?: number | undefined;
  /** Whether to include references that no longer count; default `false`. */
  readonly inactive?: boolean | undefined;
}

/** A reference and its direction. */
export interface NearReference {
  readonly reference: Reference;
  readonly distanceKm: number;
  /** Degrees clockwise from true north. */
  readonly heading: number;
}

const MAX_LIMIT = 10_000;

/**
 * A list from a program's file.
 *
 * @param program The program that published it.
 * @param source The content, or its pieces, such as a stream of a file.
 * @throws {ReferenceListError} The file is not this list; a `ValueError`.
 * @example
 * const csv = 'reference,name,active,latitude,longitude\n"US-0001","Acadia National Park","1","44.31","-68.2034"\n';
 * const parks = await createReferenceList("pota", csv);
 * parks.find("K-0001")?.name; // => "Acadia National Park"
 * parks.nearest("FN54")[0]?.distanceKm.toFixed(0); // => "67"
 */
export async function createReferenceList(
  program: ReferenceProgram,
  source: Parameters<typeof readReferences>[1],
  options: Omit<ReadReferencesOptions, "onSkipped"> = {},
): Promise<ReferenceList> {
  let skipped = 0;
  const entries = new Map<string, Reference>();
  const onSkipped = (count: number): void => {
    skipped = count;
  };
  for await (const entry of readReferences(program, source, { ...options, onSkipped }))
    entries.set(entry.reference, entry);
  // Built when it is needed.
  let grid: ReturnType<typeof createPositionGrid<Reference>> | undefined;

  return {
    program,
    size: entries.size,
    skipped,
    find(reference) {
      const text = plainReference(reference);
      const known = entries.get(text);
      if (known !== undefined || program !== "pota") return known;
      return entries.get(renamedReference(text) ?? "");
    },
    nearest(place, { limit = 10, maxKm = Infinity, inactive = false } = {}) {
      const from = positionOfPlace(place, "place");
      checkRange(
        "limit",
        limit,
        Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT,
        `an integer from 1 to ${MAX_LIMIT}`,
      );
      checkRange("maxKm", maxKm, maxKm >= 0, "a number from 0");
      grid ??= createPositionGrid(entries.values());
      return grid
        .nearest(from, { limit, maxKm, accepts: ({ active }) => active || inactive })
        .map(({ entry, position }) => ({
          reference: entry,
          distanceKm: distanceKm(from, position),
          heading: headingDegrees(from, position),
        }));
    },
  };
}

function checkRange(argument: string, value: number, isValid: boolean, expected: string): void {
  if (typeof value !== "number") throw new ArgumentTypeError({ argument, value, expected });
  if (!isValid) throw new ValueError({ argument, value, expected });
}

/** An entry with its position. */
interface Placed<Entry> {
  readonly entry: Entry;
  readonly position: Position;
}

interface NearestQuery<Entry> {
  readonly limit: number;
  readonly maxKm: number;
  readonly accepts: (entry: Entry) => boolean;
}

interface PositionGrid<Entry> {
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
