/** Maps as GeoJSON, for other map software. */
import { ArgumentTypeError } from "../../errors.js";
import { readMapOptions } from "../map-options.js";
import type { GeoJsonCollection, GeoJsonOptions, MapSpot } from "./geojson-types.js";

/**
 * The contents of a map as GeoJSON (RFC 7946): lines and areas are cut at 180°, outer rings run counterclockwise.
 *
 * Each feature has a `kind`: `station` (`role`, `label`), `path` (`path`: `short` or `long`, `distanceKm`, `heading`), `square`
 * (`locator`, `confirmed`), `entity` (`adif`, `country`, `confirmed`), `qsos` (`qsos`, `distanceKm`: a path of the layer `paths`),
 * `spot` (`dx`, `spotter`, `frequency` in kHz, `time`, `country`, `comment`), `night` (where the sun's center is below the
 * horizon), `dark` (more than 6° below it; not without twilight), `terminator`, `zone` (`system`: `cq` or `itu`, `zone`).
 * Spots of stations at sea, in the air, or unknown have no place, and are left out.
 *
 * @throws As `drawMap`.
 * @throws {ArgumentTypeError} `spots` are not annotated spots.
 * @example
 * const { features } = await toGeoJson({ from: "JN48QM", to: "FN31PR", squares: [{ locator: "FN31" }] });
 * features.map(({ properties }) => properties.kind); // => ["square", "path", "station", "station"]
 */
export async function toGeoJson(options: GeoJsonOptions = {}): Promise<GeoJsonCollection> {
  const request = readMapOptions(options);
  const { spots = [] } = options;
  for (const [index, spot] of (Array.isArray(spots) ? (spots as MapSpot[]) : [undefined]).entries())
    if (typeof spot?.dxStation !== "object" || !(spot.time instanceof Date))
      throw new ArgumentTypeError({
        argument: `spots[${index}]`,
        value: spot,
        expected: "a spot of annotateSpot",
      });
  const { featuresOf } = await import("./features.js");
  const zones =
    request.zones === undefined ? [] : (await import("./zone-features.js")).zoneFeatures(request.zones);
  return { type: "FeatureCollection", features: [...zones, ...featuresOf(request, spots)] };
}
