/**
 * `hamkit/map`: world maps as SVG, with the path between two stations, day and night, and the locator grid.
 *
 * Runs in Node and in browsers. The map program and the outlines of the land are loaded by the first map that is
 * drawn: importing this module costs next to nothing.
 *
 * @module hamkit/map
 */
import { readMapOptions } from "./map/map-options.js";
import type { MapOptions } from "./map/map-options.js";

export type { MapOptions, MapPlace, MapProjection, MapTheme } from "./map/map-options.js";

/**
 * A map of the world as an SVG document.
 *
 * Stations are marked and labeled, and joined by the great circle between them; a caption tells its length and the
 * heading at its start, on the sphere of 6371 km. Lines are within 0.3 of the map's pixels of the true curve; coasts
 * are those of Natural Earth for a scale of 1:110 million, without small islands.
 *
 * The same options give the same text. It is less than 120 kB, apart from `title` and `desc`, refers to nothing
 * outside, runs no script, and can stand alone or within a page: every name in it has the document's id before it. All
 * text from outside appears as text; characters that XML has no place for are shown by substitutes.
 *
 * @param options What to draw; without any, an empty map.
 * @returns An `svg` element, without an XML declaration.
 * @throws {LocatorError} A place is text that is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000, the width not from 240 to 4000, or
 *   a word not one of those offered; or an azimuthal map has no `from` to be centered on.
 * @throws {AttributeError} A place is neither text nor an object with a locator or a position.
 * @throws {ArgumentTypeError} Something else has a wrong type; a `TypeError`.
 * @see https://www.naturalearthdata.com/downloads/110m-physical-vectors/ the coasts.
 * @example
 * const svg = await drawMap({ from: "JN48QM", to: { locator: "FN31PR", label: "W1AW" } });
 * svg.includes("JN48QM → W1AW"); // => true
 * svg.includes("6,169 km · 296°"); // => true
 */
export async function drawMap(options: MapOptions = {}): Promise<string> {
  const request = readMapOptions(options);
  const { renderMap } = await import("./map/render-map.js");
  return renderMap(request);
}
