/** Where the stations of a spot are, and how far away. */
import { ArgumentTypeError, AttributeError } from "../errors.js";
import { distanceKm, headingDegrees } from "../geo/great-circle.js";
import { locatorToPosition } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import { identify } from "../lookup/identify.js";
import type { Identification, TableSource } from "../lookup/source.js";
import type { CallsignRecord } from "../lookup/record.js";
import type { Spot } from "./cluster-line.js";

/** With what to annotate. */
export interface AnnotateSpotOptions {
  /** The data to search, such as `await loadEmbeddedCountryFile()`. */
  readonly table: TableSource;
  /** One's own place, of 4, 6, 8 or 10 characters; without it there are no distances. */
  readonly locator?: string | undefined;
}

/** What is known of one of the two stations of a spot. */
export interface SpotStation {
  /** What the table knows of the call at the time of the spot. */
  readonly identification: Identification;
  /** Its record; missing where the call could not be identified. */
  readonly record?: CallsignRecord;
  /** Kilometers from one's own locator by the shorter way, on the sphere of 6371 km; missing where either is unknown. */
  readonly distanceKm?: number;
  /** Degrees from one's own locator, from true north over east, 0 <= heading < 360; missing with the distance. */
  readonly heading?: number;
}

/** A spot, and what is known of its two stations. */
export interface AnnotatedSpot extends Spot {
  readonly dxStation: SpotStation;
  readonly spotterStation: SpotStation;
}

/**
 * The spot with what a table knows of its two stations at that time, and the way to them.
 *
 * A station is taken to be where its record says: in the middle of its country or call area, which may be far away
 * from it. The spotter's locator is better, where the line has one. Stations at sea or in the air have a record, but
 * no distance.
 *
 * @throws {LocatorError} One's own locator is none; a `ValueError`.
 * @throws {AttributeError} One's own locator is not a string.
 * @throws {ArgumentTypeError} What was passed is no spot.
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
  /** One's own place. */
  readonly home: Position | undefined;
  /** Where the station is, if that is known better than by its record. */
  readonly place?: Position | undefined;
}

function stationOf(call: string, at: Date, { table, home, place }: StationContext): SpotStation {
  const identification = identify(call, { table, at });
  const record = identification.kind === "identified" ? identification.record : undefined;
  const there = place ?? (record !== undefined && isOnLand(record) ? record : undefined);
  return {
    identification,
    ...(record === undefined ? undefined : { record }),
    ...(home === undefined || there === undefined
      ? undefined
      : { distanceKm: distanceKm(home, there), heading: headingDegrees(home, there) }),
  };
}

/** At sea and in the air records have no continent, and 0° N 0° E for want of a place. */
function isOnLand({ continent }: CallsignRecord): boolean {
  return continent !== "";
}

function center(locator: string, argument: string): Position {
  if (typeof locator !== "string") {
    throw new AttributeError({ argument, value: locator, expected: "a locator as a string" });
  }
  return locatorToPosition(locator, argument, "center");
}
