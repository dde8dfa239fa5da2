/** Decodes the coastlines to polygons on the globe. */
import { GRID, LAND } from "../land.js";

/** Longitude and latitude in degrees, in the order of GeoJSON. */
export type Coordinates = [longitude: number, latitude: number];

/** Polygons of closed rings; clockwise around land, as seen from above. */
export interface Land {
  readonly type: "MultiPolygon";
  readonly coordinates: Coordinates[][][];
}

/** The outlines of the land: about 5000 points. */
export function readCoastline(): Land {
  const polygons = JSON.parse(LAND) as number[][][];
  return { type: "MultiPolygon", coordinates: polygons.map((rings) => rings.map(ringOf)) };
}

function ringOf(steps: readonly number[]): Coordinates[] {
  const ring: Coordinates[] = [];
  let column = 0;
  let row = 0;
  for (let i = 0; i < steps.length; i += 2) {
    column += steps[i] ?? 0;
    row += steps[i + 1] ?? 0;
    ring.push([GRID.west + column * GRID.longitudeStep, GRID.south + row * GRID.latitudeStep]);
  }
  const [first] = ring;
  return first === undefined ? ring : [...ring, first];
}
