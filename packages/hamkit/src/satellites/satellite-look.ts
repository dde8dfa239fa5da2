/** A satellite as it is seen from a place. */
import type { Position } from "../geo/position.js";

/** A place from which satellites are seen. */
export interface Observer extends Position {
  /** Above the WGS84 ellipsoid; 0 when left out. */
  readonly altitudeM?: number | undefined;
}

/** A satellite at a moment, seen from a place. */
export interface SatelliteLook {
  readonly time: Date;
  /** Degrees clockwise from north. */
  readonly azimuth: number;
  /** Degrees above the horizon, without refraction, which lifts what is on it by half a degree. */
  readonly elevation: number;
  readonly rangeKm: number;
  /** Positive where the satellite goes away. */
  readonly rangeRateKmS: number;
  /** The point below the satellite. */
  readonly latitude: number;
  readonly longitude: number;
  /** Above the ellipsoid. */
  readonly heightKm: number;
  /** The sun shines on the satellite. */
  readonly isSunlit: boolean;
}
