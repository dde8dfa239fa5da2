/** Decodes the coastlines to polygons on the globe. */
import { decodeLines } from "../../geo/integer-text.js";
import { GRID, LAND, RINGS } from "../land.js";

/** Longitude and latitude in degrees, in the order of GeoJSON. */
export type Coordinates = [longitude: number, latitude: number];

/** Polygons of closed rings; clockwise around land, as seen from above. */
export interface Land {
  readonly type: "MultiPolygon";
  readonly coordinates: Coordinates[][][];
}

/** The outlines of the land: about 5000 points. */
export function readCoastline(): Land {
  const rings = decodeLines(LAND).map(ringOf);
  let end = 0;
  const coordinates = RINGS.map((count) => {
    end += count;
    return rings.slice(end - count, end);
  });
  return { type: "MultiPolygon", coordinates };
}

function ringOf(line: Int32Array): Coordinates[] {
  const ring: Coordinates[] = [];
  for (let i = 0; i < line.length; i += 2) {
    const [column = 0, row = 0] = line.subarray(i, i + 2);
    ring.push([GRID.west + column * GRID.longitudeStep, GRID.south + row * GRID.latitudeStep]);
  }
  const [first] = ring;
  return first === undefined ? ring : [...ring, first];
}
