/** A program's list in memory: lookup by reference, and by distance. */
import { ArgumentTypeError, ValueError } from "../errors.js";
import { distanceKm, headingDegrees } from "../geo/great-circle.js";
import { positionOfPlace } from "../geo/place-position.js";
import type { Position } from "../geo/position.js";
import { createPositionGrid } from "./position-grid.js";
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
