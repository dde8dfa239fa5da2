/** Which spots are shown. */
import type { LiveSpot } from "./live-spot.js";

/** An empty list shows all. */
export interface SpotFilter {
  readonly bands: readonly string[];
  readonly modes: readonly string[];
  /** Of the spotter. */
  readonly continents: readonly string[];
  /** Only what the log lacks: new, or not confirmed. */
  readonly isNeeded: boolean;
}

export const ALL_SPOTS: SpotFilter = { bands: [], modes: [], continents: [], isNeeded: false };

export function isFiltered({ bands, modes, continents, isNeeded }: SpotFilter): boolean {
  return isNeeded || bands.length + modes.length + continents.length > 0;
}

export function isShown(spot: LiveSpot, { bands, modes, continents, isNeeded }: SpotFilter): boolean {
  return (
    has(bands, spot.band) &&
    has(modes, spot.mode) &&
    has(continents, spot.spotterContinent) &&
    (!isNeeded || (spot.needed !== undefined && spot.needed.length > 0))
  );
}

function has(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}
