/**
 * `hamkit/map`: world maps as SVG, PNG and GeoJSON: the path between two stations, day and night, the locator grid, zone
 * borders, and the squares, entities and paths of a log.
 *
 * Runs in Node and in browsers. The renderer, the coastlines and the zone borders are loaded when they are first drawn.
 *
 * @module hamkit/map
 */

export { drawMap, drawPng, type PngOptions } from "./map/draw-map.js";
export type { MapEntity, MapLayers, MapName, MapPath, MapSquare } from "./map/layers/map-layers.js";
export { placeLog } from "./map/log/place-log.js";
export type { Confirmation, LogToPlace, PlacedLog, PlaceLogOptions } from "./map/log/placed-log.js";
export type { MapBeam, MapOptions, MapPlace, MapProjection, MapTheme } from "./map/map-options.js";
export type { MapView } from "./map/map-view.js";
export type {
  GeoJsonCollection,
  GeoJsonFeature,
  GeoJsonGeometry,
  GeoJsonOptions,
  MapSpot,
} from "./map/geojson/geojson-types.js";
export { toGeoJson } from "./map/geojson/to-geojson.js";
