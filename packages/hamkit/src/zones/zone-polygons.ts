/** The zones as polygons in the form of GeoJSON (RFC 7946), for drawing. */
import { GRID_PER_DEGREE, readZoneBorders, type ZoneBorders, type ZoneKind } from "./zone-borders.js";

/** Longitude and latitude in degrees. */
export type LongitudeLatitude = [longitude: number, latitude: number];

/** A zone as a GeoJSON feature. */
export interface ZoneFeature {
  readonly type: "Feature";
  /** The kind, and the number of the zone: 1 to 40 (CQ) or 1 to 90 (ITU). */
  readonly properties: { readonly kind: ZoneKind; readonly zone: number };
  readonly geometry: {
    readonly type: "MultiPolygon";
    /** Polygons of closed rings: the outer one, then holes. */
    readonly coordinates: LongitudeLatitude[][][];
  };
}

/** Zones of one kind as a GeoJSON feature collection. */
export interface ZoneFeatureCollection {
  readonly type: "FeatureCollection";
  readonly features: readonly ZoneFeature[];
}

/**
 * All zones of a kind as polygons, in the order of their numbers.
 *
 * Edges are straight in longitude and latitude, not great circles: a map that is not a plate carrée has to subdivide them.
 * Polygons are cut at 180°, where their edges are no borders. They end at 85° of latitude, CQ zones in part at the south
 * pole.
 */
export function zonePolygons(kind: ZoneKind): ZoneFeatureCollection {
  const borders = readZoneBorders(kind);
  const features = borders.zones.map(({ zone, polygons }): ZoneFeature => ({
    type: "Feature",
    properties: { kind, zone },
    geometry: {
      type: "MultiPolygon",
      coordinates: polygons.map((rings) => rings.map((ring) => closedRing(borders, ring))),
    },
  }));
  return { type: "FeatureCollection", features };
}

/** The vertices of a ring; the last one is the first one again. */
function closedRing(borders: ZoneBorders, ring: readonly number[]): LongitudeLatitude[] {
  const points = ring.flatMap((index) => {
    const line = arcPoints(borders, index < 0 ? ~index : index);
    if (index < 0) line.reverse();
    return line.slice(0, -1); // the end is the begin of the next arc
  });
  const [first] = points;
  return first === undefined ? [] : [...points, first];
}

function arcPoints({ arcs }: ZoneBorders, index: number): LongitudeLatitude[] {
  const points: LongitudeLatitude[] = [];
  const arc = arcs[index] ?? [];
  for (let i = 0; i + 1 < arc.length; i += 2)
    points.push([(arc[i] ?? 0) / GRID_PER_DEGREE, (arc[i + 1] ?? 0) / GRID_PER_DEGREE]);
  return points;
}
