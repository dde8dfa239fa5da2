/** Annotates a spot with the records, distances and headings of its two stations. */
import { ArgumentTypeError, AttributeError } from "../errors.js";
import { distanceKm, headingDegrees } from "../geo/great-circle.js";
import { locatorToPosition } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import { identify } from "../lookup/identify.js";
import type { CallsignRecord } from "../lookup/record.js";
import type { Identification, TableSource } from "../lookup/source.js";
import type { Spot } from "./spot.js";

/** Data source and own location. */
export interface AnnotateSpotOptions {
  /** The data to search, such as `await loadEmbeddedCountryFile()`. */
  readonly table: TableSource;
  /** The own locator, of 4, 6, 8 or 10 characters; without it distances are absent. */
  readonly locator?: string | undefined;
}

/** One of the two stations of a spot. */
export interface SpotStation {
  /** The result of identifying the call at the time of the spot. */
  readonly identification: Identification;
  /** The record; absent if the call was not identified. */
  readonly record?: CallsignRecord;
  /** Short path from the own locator in km, on the sphere of 6371 km; absent if either location is unknown. */
  readonly distanceKm?: number;
  /** Heading from the own locator, in degrees clockwise from true north, 0 <= heading < 360; absent with the distance. */
  readonly heading?: number;
}

/** A spot with its two stations. */
export interface AnnotatedSpot extends Spot {
  readonly dxStation: SpotStation;
  readonly spotterStation: SpotStation;
}

/**
 * Identifies the two stations of a spot at its time, and computes the paths to them.
 *
 * A station's location is that of its record: the middle of its country or call area, which may be far away from it. The
 * spotter's locator takes precedence, if the line has one. Stations at sea or in the air have a record, but no distance.
 *
 * @throws {LocatorError} The own locator is malformed; a `ValueError`.
 * @throws {AttributeError} The own locator is not a string.
 * @throws {ArgumentTypeError} The argument is not a spot.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * const spot = decodeSpot("DX de DH1TW:     14025.0  JA1ABC       cq          1200Z");
 * const dx = spot.kind === "spot" ? annotateSpot(spot, { table, locator: "JN48QM" }).dxStation : undefined;
 * dx?.record?.country; // => "Japan"
 * Math.round((dx?.distanceKm ?? 0) / 1000); // => 9
 */
export function annotateSpot(spot: Spot, { table, locator }: AnnotateSpotOptions): AnnotatedSpot {
  if (typeof spot !== "object" || spot === null || spot.kind !== "spot") {
    throw new ArgumentTypeError({ argument: "spot", value: spot, expected: 'a line of the kind "spot"' });
  }
  const home = locator === undefined ? undefined : center(locator, "locator");
  const spotterPlace = spot.locator === undefined ? undefined : center(spot.locator, "spot.locator");
  return {
    ...spot,
    dxStation: stationOf(spot.dx, spot.time, { table, home }),
    spotterStation: stationOf(spot.spotter, spot.time, { table, home, place: spotterPlace }),
  };
}

interface StationContext {
  readonly table: TableSource;
  /** The own location. */
  readonly home: Position | undefined;
  /** The station's location, if it is known more precisely than by its record. */
  readonly place?: Position | undefined;
}

function stationOf(call: string, at: Date, { table, home, place }: StationContext): SpotStation {
  const identification = identify(call, { table, at });
  const record = identification.kind === "identified" ? identification.record : undefined;
  // Stations at sea and in the air have no place.
  const there = place ?? (record === undefined || record.continent === "" ? undefined : record);
  return {
    identification,
    ...(record === undefined ? undefined : { record }),
    ...(home === undefined || there === undefined
      ? undefined
      : { distanceKm: distanceKm(home, there), heading: headingDegrees(home, there) }),
  };
}

function center(locator: string, argument: string): Position {
  if (typeof locator !== "string") {
    throw new AttributeError({ argument, value: locator, expected: "a locator as a string" });
  }
  return locatorToPosition(locator, argument, "center");
}
