/** Draws maps as SVG. */
import type { EntityAreas } from "./layers/entity-outlines.js";
import type { ZoneLines } from "./layers/zone-layer.js";
import { readMapOptions, type MapOptions } from "./map-options.js";

/**
 * A world map as an SVG document.
 *
 * Stations are marked and labeled, and joined by the great circle between them; a caption shows its length and the
 * initial heading, on the sphere of 6371 km. Lines are within 0.3 pixels of the true curve; coastlines are those of
 * Natural Earth at a scale of 1:110 million, without small islands.
 *
 * Equal options produce equal text. Without squares, entities, paths and zones it is less than 120 kB, apart from `title` and
 * `desc`. It has no external references
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
  const [{ renderMap }, zones, areas] = await Promise.all([
    import("./render-map.js"),
    request.zones === undefined ? undefined : loadZoneLines(request.zones),
    request.entities.length === 0 ? undefined : loadEntityAreas(),
  ]);
  return renderMap(request, { zones, areas });
}

async function loadZoneLines(kind: "cq" | "itu"): Promise<ZoneLines> {
  const { zoneLines } = await import("./layers/zone-layer.js");
  return zoneLines(kind);
}

async function loadEntityAreas(): Promise<EntityAreas> {
  const { entityAreas } = await import("./layers/entity-outlines.js");
  return entityAreas();
}
