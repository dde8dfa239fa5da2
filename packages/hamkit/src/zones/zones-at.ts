/** The CQ and ITU zones of a place. */
import { locatorToRectangle, positionOfPlace } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import { createRegionIndex, type RegionIndex } from "../geo/region-index.js";
import { GRID_PER_DEGREE, readZoneBorders, type ZoneKind } from "./zone-borders.js";

/** The zones of a place. */
export interface Zones {
  /** CQ zones, 1 to 40, ascending: one, several at a border, or none near a pole and in a gap of the data. */
  cqz: number[];
  /** ITU zones, 1 to 90, in the same way. */
  ituz: number[];
  /** The kinds of which the place is in a gap between polygons, if any: the zones are the nearest ones, within 0.05°. */
  nearest?: ("cqz" | "ituz")[];
}

/** Gaps between polygons that are wider than twice this have no zone, in degrees. */
const MAX_GAP = 0.05;

/** The polygons end at this latitude; CQ zones in part at the south pole. */
const LAST_LATITUDE = 85;

/** By definition, these zones surround the poles. */
const NORTH_POLAR_ITU_ZONE = 75;
const SOUTH_POLAR_ITU_ZONE = 74;

/** Built with the first query: 30 ms for both. */
const indexes = /* @__PURE__ */ new Map<ZoneKind, RegionIndex>();

/**
 * The CQ and ITU zones of a position, or of a locator.
 *
 * A locator is a rectangle: it has all zones of which a part is inside. A point within 0.1 m of a border has the zones on both
 * sides. Where neighboring polygons leave a gap, the nearest zone within 0.05° applies, and `nearest` names the kind.
 *
 * The borders are those of the polygons that hamkit ships, simplified to 0.02°, about 2 km: close to a border, a map decides.
 * Zones of callsigns also follow other rules, such as a country's entry in a country file.
 *
 * @param place Latitude from -90 to 90 and longitude from -180 to 180, or a locator of 4, 6, 8 or 10 characters.
 * @returns `cqz` is empty at the poles, where the definition names no zone, north of 85°, in part south of -85°, and in gaps of
 *   the data in the Barents Sea: up to 0.5° wide from 75° N, 37° E to 79° N, 60° E, and at 71° N, 19° E.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {ArgumentTypeError} The place is neither text nor a position, or a coordinate is not a number; a `TypeError`.
 * @see CQ magazine, *Worked All Zones*, and ITU, *Appendix 1 of the Radio Regulations*: the definitions.
 * @example
 * zonesAt({ latitude: 48.52, longitude: 9.38 }); // => { cqz: [14], ituz: [28] }
 * zonesAt({ latitude: 47, longitude: -110 }).ituz; // => [6, 7]
 * zonesAt("JN47"); // => { cqz: [14, 15], ituz: [28] }
 */
export function zonesAt(place: Position | string): Zones {
  const cq = findZones("cq", place);
  const itu = findZones("itu", place);
  const nearest = [
    ...(cq.isNearest ? (["cqz"] as const) : []),
    ...(itu.isNearest ? (["ituz"] as const) : []),
  ];
  return { cqz: cq.zones, ituz: itu.zones, ...(nearest.length > 0 && { nearest }) };
}

function findZones(kind: ZoneKind, place: Position | string): { zones: number[]; isNearest: boolean } {
  const index = indexOf(kind);
  if (typeof place === "string") {
    const zones = index.within(locatorToRectangle(place, "place"));
    if (zones.length > 0) return { zones, isNearest: false };
  }
  const { latitude, longitude } = positionOfPlace(place, "place");
  if (kind === "itu" && latitude > LAST_LATITUDE) return { zones: [NORTH_POLAR_ITU_ZONE], isNearest: false };
  if (kind === "itu" && latitude < -LAST_LATITUDE) return { zones: [SOUTH_POLAR_ITU_ZONE], isNearest: false };
  if (Math.abs(latitude) === 90) return { zones: [], isNearest: false };
  const zones = index.at(longitude, latitude);
  // Beyond the end of the polygons is no gap between them.
  if (zones.length > 0 || Math.abs(latitude) > LAST_LATITUDE) return { zones, isNearest: false };
  const near = index.nearest(longitude, latitude, MAX_GAP);
  return { zones: near, isNearest: near.length > 0 };
}

function indexOf(kind: ZoneKind): RegionIndex {
  const known = indexes.get(kind);
  if (known) return known;
  const { arcs, zones } = readZoneBorders(kind);
  const index = createRegionIndex({
    lines: arcs,
    regions: zones.map(({ zone, polygons }) => ({ id: zone, rings: polygons.flat() })),
    unitsPerDegree: GRID_PER_DEGREE,
  });
  indexes.set(kind, index);
  return index;
}
