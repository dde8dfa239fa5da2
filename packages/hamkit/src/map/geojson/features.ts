/** The features of a map's contents. Loaded with the first conversion. */
import { distanceKm } from "../../geo/great-circle.js";
import type { Position } from "../../geo/position.js";
import type { LongitudeLatitude } from "../../zones/zone-polygons.js";
import { cornerOf, locatorOf } from "../layers/square-index.js";
import type { MapRequest, Station } from "../map-options.js";
import { nightArea } from "../night.js";
import { routesOf } from "../route.js";
import type { GeoJsonFeature, GeoJsonGeometry, MapSpot } from "./geojson-types.js";
import { planarLines, planarRings, rounded } from "./planar.js";

/** Depression of the sun at the end of civil twilight, in degrees. */
const CIVIL_TWILIGHT = 6;

/** From areas to points, as they are drawn on each other. */
export function featuresOf(request: MapRequest, spots: readonly MapSpot[]): GeoJsonFeature[] {
  const { date, twilight, squares, entities, paths, from, to } = request;
  return [
    date === undefined ? [] : nightFeatures(date, twilight),
    Array.from(squares, ([square, confirmed]) =>
      feature({ kind: "square", locator: locatorOf(square), confirmed }, squareGeometry(cornerOf(square))),
    ),
    paths.flatMap(({ from: start, to: end, qsos }) => {
      const km = Math.round(distanceKm(start, end) * 10) / 10;
      return lineFeatures({ kind: "qsos", qsos, distanceKm: km }, [point(start), point(end)]);
    }),
    routesOf(request).flatMap(({ kind, distanceKm: km, heading, points }) => {
      const figures = {
        distanceKm: Math.round(km * 10) / 10,
        heading: heading === undefined ? null : Math.round(heading * 10) / 10,
      };
      return lineFeatures({ kind: "path", path: kind, ...figures }, points.map(point));
    }),
    entities.map(({ adif, country, confirmed, ...place }) =>
      feature({ kind: "entity", adif, country, confirmed }, { type: "Point", coordinates: point(place) }),
    ),
    spots.flatMap(spotFeature),
    stationFeature("from", from),
    stationFeature("to", to),
  ].flat();
}

function feature(properties: GeoJsonFeature["properties"], geometry: GeoJsonGeometry): GeoJsonFeature {
  return { type: "Feature", properties, geometry };
}

function point({ latitude, longitude }: Position): LongitudeLatitude {
  return [rounded(longitude), rounded(latitude)];
}

function lineFeatures(
  properties: GeoJsonFeature["properties"],
  coordinates: LongitudeLatitude[],
): GeoJsonFeature[] {
  const lines = planarLines({ type: "LineString", coordinates });
  const [first = coordinates] = lines;
  return [
    feature(
      properties,
      lines.length > 1
        ? { type: "MultiLineString", coordinates: lines }
        : { type: "LineString", coordinates: first },
    ),
  ];
}

function squareGeometry({ latitude: south, longitude: west }: Position): GeoJsonGeometry {
  const [north, east] = [south + 1, west + 2];
  const ring: LongitudeLatitude[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return { type: "Polygon", coordinates: [ring] };
}

function nightFeatures(date: Date, twilight: MapRequest["twilight"]): GeoJsonFeature[] {
  const night = nightArea(date, 0);
  const time = date.toISOString();
  const areas = [{ kind: "night", area: night.area }];
  if (twilight === "civil") areas.push({ kind: "dark", area: nightArea(date, CIVIL_TWILIGHT).area });
  const terminator = planarLines(night.edge);
  return [
    ...areas.map(({ kind, area }) =>
      feature({ kind, time }, { type: "MultiPolygon", coordinates: planarRings(area).map((ring) => [ring]) }),
    ),
    feature({ kind: "terminator", time }, { type: "MultiLineString", coordinates: terminator }),
  ];
}

function spotFeature({
  dx,
  spotter,
  frequency,
  time,
  comment,
  dxStation: { record },
}: MapSpot): GeoJsonFeature[] {
  if (record?.latitude === undefined || record.longitude === undefined) return [];
  const { country, latitude, longitude } = record;
  const spot = {
    kind: "spot",
    dx,
    spotter,
    frequency,
    time: time.toISOString(),
    country,
    comment: comment ?? null,
  };
  return [feature(spot, { type: "Point", coordinates: point({ latitude, longitude }) })];
}

function stationFeature(role: string, station: Station | undefined): GeoJsonFeature[] {
  if (station === undefined) return [];
  const { label, position } = station;
  return [feature({ kind: "station", role, label }, { type: "Point", coordinates: point(position) })];
}
