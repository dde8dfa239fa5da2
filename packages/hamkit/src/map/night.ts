/** Where on the globe it is night. */
import { geoCircle } from "d3-geo";

import type { Position } from "../geo/position.js";
import { directionOfSun } from "../sun/sun-position.js";
import type { Coordinates } from "./drawing/coastline.js";

/** Points of the circle are so many degrees apart, and great circles join them: 0.001° off the circle at most. */
const STEP = 2;

/** An area, and the line around it. */
export interface DarkSide {
  readonly area: { readonly type: "Polygon"; readonly coordinates: Coordinates[][] };
  readonly edge: { readonly type: "LineString"; readonly coordinates: Coordinates[] };
}

/** Where the center of the sun is lower than so many degrees below the horizon, refraction not included. */
export function darkSide(date: Date, depression: number): DarkSide {
  const { latitude, longitude } = placeUnderSun(date);
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

/** The place that has the sun overhead. */
export function placeUnderSun(date: Date): Position {
  // At a pole the sun is as high as its declination, less a parallax that both poles share, and its azimuth at the
  // northern one counts from the meridian of Greenwich.
  const north = directionOfSun({ latitude: 90, longitude: 0 }, date.getTime());
  const south = directionOfSun({ latitude: -90, longitude: 0 }, date.getTime());
  return { latitude: (north.elevation - south.elevation) / 2, longitude: 180 - north.azimuth };
}
