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

/** In km, in a system that turns with the earth. */
export type Vector = readonly [x: number, y: number, z: number];

export const RADIANS = Math.PI / 180;
/** WGS84 in km. */
export const RADIUS = 6378.137;
export const FLATTENING = 1 / 298.257_223_563;

/** The place of an observer, in km from the center of the earth. */
function placeOf({ latitude, longitude, altitudeM = 0 }: Observer): Vector {
  const [phi, lambda, height] = [latitude * RADIANS, longitude * RADIANS, altitudeM / 1000];
  const squared = FLATTENING * (2 - FLATTENING);
  const normal = RADIUS / Math.sqrt(1 - squared * Math.sin(phi) ** 2);
  const across = (normal + height) * Math.cos(phi);
  return [
    across * Math.cos(lambda),
    across * Math.sin(lambda),
    (normal * (1 - squared) + height) * Math.sin(phi),
  ];
}

/** Azimuth, elevation, range and its change of a point, as seen from a place. */
export function seenFrom(observer: Observer, position: Vector, velocity: Vector = [0, 0, 0]) {
  const place = placeOf(observer);
  const [x, y, z] = position.map((value, axis) => value - (place[axis] as number)) as [
    number,
    number,
    number,
  ];
  const [phi, lambda] = [observer.latitude * RADIANS, observer.longitude * RADIANS];
  const outward = x * Math.cos(lambda) + y * Math.sin(lambda);
  const east = y * Math.cos(lambda) - x * Math.sin(lambda);
  const north = z * Math.cos(phi) - outward * Math.sin(phi);
  const up = outward * Math.cos(phi) + z * Math.sin(phi);
  const rangeKm = Math.hypot(x, y, z);
  return {
    azimuth: (Math.atan2(east, north) / RADIANS + 360) % 360,
    elevation: Math.asin(up / rangeKm) / RADIANS,
    rangeKm,
    rangeRateKmS: (x * velocity[0] + y * velocity[1] + z * velocity[2]) / rangeKm,
  };
}
