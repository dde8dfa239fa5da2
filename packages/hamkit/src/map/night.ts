/** Computes the night side of the globe, and the subsolar point. */
import { geoCircle } from "d3-geo";

import type { Position } from "../geo/position.js";
import { directionOfSun } from "../sun/solar-position.js";
import type { Coordinates } from "./drawing/coastline.js";

/** Distance of the circle's points in degrees. Great circles join them: at most 0.001° off the circle. */
const STEP = 2;

/** The night area and its boundary. */
export interface NightArea {
  readonly area: { readonly type: "Polygon"; readonly coordinates: Coordinates[][] };
  readonly edge: { readonly type: "LineString"; readonly coordinates: Coordinates[] };
}

/** The area where the sun's center is more than `depression` degrees below the horizon, without refraction. */
export function nightArea(date: Date, depression: number): NightArea {
  const { latitude, longitude } = subsolarPoint(date);
  const coordinates = geoCircle()
    .center([longitude + 180, -latitude])
    .radius(90 - depression)
    .precision(STEP)()
    .coordinates.map((ring) => ring.map(([x = 0, y = 0]): Coordinates => [x, y]));
  return {
    area: { type: "Polygon", coordinates },
    edge: { type: "LineString", coordinates: coordinates[0] ?? [] },
  };
}

/** The point that has the sun in the zenith. */
export function subsolarPoint(date: Date): Position {
  // At a pole the sun's elevation is its declination minus the parallax, which cancels out between the poles; its azimuth
  // at the north pole is relative to the meridian of Greenwich.
  const north = directionOfSun({ latitude: 90, longitude: 0 }, date.getTime());
  const south = directionOfSun({ latitude: -90, longitude: 0 }, date.getTime());
  return { latitude: (north.elevation - south.elevation) / 2, longitude: 180 - north.azimuth };
}
