/**
 * `hamkit/zones`: the CQ and ITU zones of a position or a locator.
 *
 * The borders are part of the module; no other data and no network are needed.
 *
 * @module hamkit/zones
 */
export { zonesAt } from "./zones/zones-at.js";
export type { Zones } from "./zones/zones-at.js";
export { zonePolygons } from "./zones/zone-polygons.js";
export type { LongitudeLatitude, ZoneFeature, ZoneFeatureCollection } from "./zones/zone-polygons.js";
export type { ZoneKind } from "./zones/zone-borders.js";
