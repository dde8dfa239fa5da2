/**
 * `hamkit/map`: world maps as SVG, with the path between two stations, day and night, and the locator grid.
 *
 * Runs in Node and in browsers. The renderer and the coastlines are loaded when the first map is drawn.
 *
 * @module hamkit/map
 */
import { readMapOptions } from "./map/map-options.js";
import type { MapOptions } from "./map/map-options.js";

export type { MapOptions, MapPlace, MapProjection, MapTheme } from "./map/map-options.js";

/**
 * A world map as an SVG document.
 *
 * Stations are marked and labeled, and joined by the great circle between them; a caption shows its length and the
 * initial heading, on the sphere of 6371 km. Lines are within 0.3 pixels of the true curve; coastlines are those of
 * Natural Earth at a scale of 1:110 million, without small islands.
 *
 * Equal options produce equal text. It is less than 120 kB, apart from `title` and `desc`, has no external references
 * and no scripts, and can stand alone or in a page: the document's id prefixes every name in it. Input text is escaped;
 * characters that XML does not allow are replaced.
 *
 * @param options What to draw; default: an empty map.
 * @returns An `svg` element, without an XML declaration.
 * @throws {LocatorError} A place is text that is not a locator; a `ValueError`.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {ValueError} The date is not a valid `Date` of the years -2000 to 10000, the width is not from 240 to 4000, a
 *   keyword is not one of its choices, or an azimuthal map has no `from` as its center.
 * @throws {AttributeError} A place is neither text nor an object with a locator or a position.
 * @throws {ArgumentTypeError} Another option has the wrong type; a `TypeError`.
 * @see https://www.naturalearthdata.com/downloads/110m-physical-vectors/ the coastlines.
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
