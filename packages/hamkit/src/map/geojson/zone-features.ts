/** The zones as features. Loaded with the first conversion that has them. */
import type { ZoneKind } from "../../zones/zone-borders.js";
import { zonePolygons } from "../../zones/zone-polygons.js";
import type { GeoJsonFeature } from "./geojson-types.js";
import { counterclockwise } from "./planar.js";

export function zoneFeatures(kind: ZoneKind): GeoJsonFeature[] {
  return zonePolygons(kind).features.map(({ properties, geometry }) => ({
    type: "Feature",
    properties: { kind: "zone", system: kind, zone: properties.zone },
    geometry: {
      type: "MultiPolygon",
      coordinates: geometry.coordinates.map(([outer = [], ...holes]) => [
        counterclockwise(outer),
        ...holes.map((hole) => counterclockwise(hole).toReversed()),
      ]),
    },
  }));
}
