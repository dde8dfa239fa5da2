/** A spot as programs get it. */
import { findBand } from "../../frequency.js";
import type { AnnotatedSpot, SpotStation } from "../../spots.js";

/** What is known of a station, as `hamkit call` has it; `null` where the call is not known. */
export interface StationDocument {
  readonly country: string;
  readonly adif: number;
  readonly continent: string;
  readonly cqz: number;
  readonly ituz: number | null;
  /** `null` at sea and in the air. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly matchedBy: string;
  readonly match: string;
  /** `null` without a place of one's own. */
  readonly distanceKm: number | null;
  readonly heading: number | null;
}

/** The spot, its band, and what is known of the two stations. */
export function spotDocument({ dxStation, spotterStation, ...spot }: AnnotatedSpot): object {
  return {
    ...spot,
    band: findBand(spot.frequency)?.adif ?? null,
    dxStation: stationDocument(dxStation),
    spotterStation: stationDocument(spotterStation),
  };
}

function stationDocument(station: SpotStation): StationDocument | null {
  const { identification, distanceKm = null, heading = null } = station;
  if (identification.kind !== "identified") return null;
  const { record, matchedBy, match } = identification;
  const { country, adif, continent, cqz, ituz = null } = record;
  const isSomewhere = continent !== "";
  return {
    country,
    adif,
    continent,
    cqz,
    ituz,
    latitude: isSomewhere ? record.latitude : null,
    longitude: isSomewhere ? record.longitude : null,
    matchedBy,
    match,
    distanceKm,
    heading,
  };
}
