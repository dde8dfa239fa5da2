/** Squares that have a satellite in view. */
import { positionToLocator } from "../geo/locator.js";
import type { Position } from "../geo/position.js";

/** The mean radius of the earth in km: the footprint is known to a few kilometers. */
const RADIUS_KM = 6371;
const RADIANS = Math.PI / 180;

/** The point below a satellite, and its height, as of `look`. */
export interface SubsatellitePoint extends Position {
  readonly heightKm: number;
}

/**
 * The squares whose center sees a satellite: those that can be worked while it is there.
 *
 * @param minElevation Degrees above their horizon; 0 when left out.
 * @returns Squares such as `JN48`, in the order of locators.
 * @example
 * const squares = squaresInView({ latitude: 48.5, longitude: 9.4, heightKm: 420 }, 0);
 * squares.includes("JN48"); // => true
 * squares.includes("FN31"); // => false
 */
export function squaresInView(point: SubsatellitePoint, minElevation = 0): readonly string[] {
  const elevation = minElevation * RADIANS;
  const share = RADIUS_KM / (RADIUS_KM + Math.max(0, point.heightKm));
  const radius = Math.acos(share * Math.cos(elevation)) - elevation;
  const limit = Math.cos(Math.max(0, radius));
  const [sin, cos] = [Math.sin(point.latitude * RADIANS), Math.cos(point.latitude * RADIANS)];
  const squares: string[] = [];
  for (let latitude = -89.5; latitude < 90; latitude++) {
    if (Math.abs(latitude - point.latitude) * RADIANS > radius) continue;
    for (let longitude = -179; longitude < 180; longitude += 2) {
      const apart = Math.cos((longitude - point.longitude) * RADIANS);
      const cosine = sin * Math.sin(latitude * RADIANS) + cos * Math.cos(latitude * RADIANS) * apart;
      if (cosine >= limit) squares.push(positionToLocator({ latitude, longitude }, 4));
    }
  }
  return squares.sort();
}
