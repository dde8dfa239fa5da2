/** Looks up the stations of a spot: entity, place, and the path from the own locator. */
import { distanceKm, headingDegrees } from "../../geo/great-circle.js";
import { locatorToPosition } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import { identify } from "../../lookup/identify.js";
import type { TableSource } from "../../lookup/source.js";
import type { FeedSpot, FeedStation } from "./feed-spot.js";

export interface SpotLookup {
  readonly table: TableSource;
  /** The own location. */
  readonly home: Position | undefined;
}

/** The spot with its stations, as far as their calls are known. */
export function lookUpSpot(spot: FeedSpot, lookup: SpotLookup): FeedSpot {
  const { position, dxGrid, spotterGrid } = spot;
  const dxPlace =
    position === undefined ? placeOf(dxGrid) : { latitude: position[0], longitude: position[1] };
  const dxStation = stationAt(spot.dx, spot.time, dxPlace, lookup);
  const spotterStation =
    spot.spotter === undefined ? undefined : stationAt(spot.spotter, spot.time, placeOf(spotterGrid), lookup);
  return {
    ...spot,
    ...(dxStation === undefined ? undefined : { dxStation }),
    ...(spotterStation === undefined ? undefined : { spotterStation }),
  };
}

function stationAt(
  call: string,
  at: Date,
  place: Position | undefined,
  { table, home }: SpotLookup,
): FeedStation | undefined {
  const found = identify(call, { table, at });
  if (found.kind !== "identified") return undefined;
  const { country, adif, continent, cqz, ituz, latitude, longitude } = found.record;
  const there = place ?? (continent === "" ? undefined : { latitude, longitude });
  return {
    country,
    adif,
    continent,
    cqz,
    ...(ituz !== undefined && { ituz }),
    ...(there !== undefined && { latitude: there.latitude, longitude: there.longitude }),
    ...(there !== undefined &&
      home !== undefined && { distanceKm: distanceKm(home, there), heading: headingDegrees(home, there) }),
  };
}

function placeOf(locator: string | undefined): Position | undefined {
  return locator === undefined ? undefined : locatorToPosition(locator, "locator", "center");
}
