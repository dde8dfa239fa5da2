/** The DXCC entity of a place. */
import { distanceKm } from "../geo/great-circle.js";
import { locatorToRectangle, type Rectangle, positionOfPlace } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import type { DisputedArea } from "./embedded-shapes.js";
import { ENTITY_SHAPES } from "./generated/entity-areas.js";
import { createRegionIndex, type RegionIndex } from "../geo/region-index.js";
import { decodeLines } from "../geo/integer-text.js";

/** The DXCC entities of a place. */
export interface PlaceEntities {
  /** ADIF codes of all entities that are possible, the most plausible first; empty at sea and in areas without an entity. */
  readonly dxcc: readonly number[];
  /** What the answer rests on. */
  readonly basis: EntityBasis;
  /** Of a disputed area, what is disputed. */
  readonly reason?: string | undefined;
}

/**
 * `"land"`: the area of an entity. `"coast"`: the sea up to 22 km (12 nautical miles) from its coast. `"island"`: the surroundings of
 * an island, a rock or an enclave that the map is too coarse for. `"disputed"`: a disputed area. `"sea"`: none of these.
 */
export type EntityBasis = "land" | "coast" | "island" | "disputed" | "sea";

/** Borders may be off by this: 1:50m is good to some 2 km, simplified by 1.7 km. In degrees, 5.5 km. */
const BORDER_DEGREES = 0.05;

/** 12 nautical miles in degrees, the territorial sea. */
const COAST_DEGREES = 0.2;

/**
 * The DXCC entities of a position, or of a locator.
 *
 * A locator has those of its center, then all others of which a part is inside its rectangle.
 * The areas are those of Natural Earth 1:50m, mapped to entities, and circles around islands. Within 5.5 km of a border both sides
 * are possible, as are England and Wales or Scotland within 17 km, and European and Asiatic Russia within 130 km of theirs, which the
 * map doesn't have. An entity that counts by another rule than its territory, such as 4U1ITU, is only possible too.
 *
 * @param place Latitude from -90 to 90 and longitude from -180 to 180, or a locator of 4, 6, 8 or 10 characters.
 * @throws {PositionError} A coordinate is not finite or out of its range; a `ValueError`.
 * @throws {LocatorError} The text is not a locator; a `ValueError`.
 * @throws {ArgumentTypeError} The place is neither text nor a position, or a coordinate is not a number; a `TypeError`.
 * @example
 * entitiesAt({ latitude: 48.52, longitude: 9.38 }); // => { dxcc: [230], basis: "land" }
 * entitiesAt({ latitude: 55.77, longitude: -2 }).dxcc; // => [223, 279]
 * entitiesAt("JN47").dxcc; // => [287, 206, 230, 251]
 */
export function entitiesAt(place: Position | string): PlaceEntities {
  const answer = entitiesOf(positionOfPlace(place, "place"));
  if (typeof place !== "string") return answer;
  const rectangle = locatorToRectangle(place, "place");
  const onLand = landWithin(rectangle);
  const islands = [ISLAND, ENCLAVE].flatMap((kind) => islandsWithin(rectangle, kind));
  const dxcc = unique([...answer.dxcc, ...onLand, ...islands]);
  if (answer.dxcc.length > 0 || dxcc.length === 0) return { ...answer, dxcc };
  return { dxcc, basis: onLand.length > 0 ? "land" : "island" };
}

function entitiesOf(position: Position): PlaceEntities {
  const onLand = landEntities(position);
  const disputed = disputedArea(position, onLand);
  if (disputed) return { dxcc: disputed.entities, basis: "disputed", reason: disputed.reason };
  const { latitude, longitude } = position;
  const here = { west: longitude, south: latitude, east: longitude, north: latitude };
  const islands = islandsWithin(here, ISLAND);
  const enclaves = islandsWithin(here, ENCLAVE);
  if (islands.length > 0) return { dxcc: unique([...islands, ...onLand]), basis: "island" };
  if (onLand.length > 0) return { dxcc: unique([...onLand, ...enclaves]), basis: "land" };
  const coast = divided(entityIndex().nearest(longitude, latitude, COAST_DEGREES), position);
  return { dxcc: unique([...coast, ...enclaves]), basis: coast.length > 0 ? "coast" : "sea" };
}

/** Inside first, then those behind a border close by. */
function landEntities(position: Position): number[] {
  const { latitude, longitude } = position;
  const inside = entityIndex().at(longitude, latitude);
  const around = entityIndex().around(longitude, latitude, BORDER_DEGREES);
  return divided(unique([...inside, ...around]), position);
}

/** Replaces an entity by those of its parts. */
function divided(entities: readonly number[], position: Position): number[] {
  return unique(entities.flatMap((entity) => partsOf(entity, position)));
}

function partsOf(entity: number, { latitude, longitude }: Position): number[] {
  const parts = ENTITY_SHAPES.subregions.filter(({ region }) => region === entity);
  if (parts.length === 0) return [entity];
  const index = subregionIndex();
  const inside = index.at(longitude, latitude);
  const near = parts
    .filter((part) => index.around(longitude, latitude, part.degrees).includes(part.entity))
    .map((part) => part.entity);
  const first = parts.find((part) => inside.includes(part.entity))?.entity ?? entity;
  return near.length > 0 ? unique([first, entity, ...near]) : [first];
}

/** The entities with a part inside of a rectangle; of divided ones, the parts at its corners and its center. */
function landWithin(rectangle: Rectangle): number[] {
  const { west, south, east, north } = rectangle;
  const entities = entityIndex().within(rectangle);
  const points = [south, (south + north) / 2, north].flatMap((latitude) =>
    [west, (west + east) / 2, east].map((longitude) => ({ latitude, longitude })),
  );
  return unique(points.flatMap((point) => divided(entities, point)));
}

/** Kinds of circles: around islands, and of areas inside of another entity. */
const ISLAND = 0;
const ENCLAVE = 1;

/** The entities of the circles of a kind that reach a rectangle, or a point. */
function islandsWithin({ west, south, east, north }: Rectangle, wanted: number): number[] {
  return ENTITY_SHAPES.islands
    .filter(([, latitude = 0, longitude = 0, km = 0, kind = ISLAND]) => {
      if (kind !== wanted) return false;
      const nearest = {
        latitude: Math.min(Math.max(latitude, south), north),
        longitude: Math.min(Math.max(longitude, west), east),
      };
      // A degree of latitude has 111.2 km: most circles are too far away by that alone.
      return (
        Math.abs(latitude - nearest.latitude) * 111 <= km &&
        distanceKm(nearest, { latitude, longitude }) <= km
      );
    })
    .map(([entity = 0]) => entity);
}

function disputedArea(
  { latitude, longitude }: Position,
  onLand: readonly number[],
): DisputedArea | undefined {
  if (onLand.length === 0) return undefined;
  return ENTITY_SHAPES.disputed.find(
    ({ box: [west = 0, south = 0, east = 0, north = 0], only }) =>
      longitude >= west &&
      longitude <= east &&
      latitude >= south &&
      latitude <= north &&
      (only === undefined || onLand[0] === only),
  );
}

function unique(entities: readonly number[]): number[] {
  return [...new Set(entities)];
}

/** Built with the first query: 25 ms. */
let polygons: RegionIndex | undefined;
let parts: RegionIndex | undefined;

/** The index of the entities' polygons. */
function entityIndex(): RegionIndex {
  if (polygons !== undefined) return polygons;
  const { lines, regions, unitsPerDegree } = ENTITY_SHAPES;
  const shapes = JSON.parse(regions) as [number, number[][]][];
  polygons = createRegionIndex({
    lines: decodeLines(lines),
    regions: shapes.map(([id, rings]) => ({ id, rings })),
    unitsPerDegree,
  });
  return polygons;
}

/** The index of the parts that belong to other entities. */
function subregionIndex(): RegionIndex {
  if (parts !== undefined) return parts;
  const { subregions, unitsPerDegree } = ENTITY_SHAPES;
  const rings = subregions.flatMap((one) => one.rings.map((ring) => ({ id: one.entity, ring })));
  parts = createRegionIndex({
    lines: rings.map(({ ring }) =>
      Int32Array.from(ring.flat(), (degrees) => Math.round(degrees * unitsPerDegree)),
    ),
    regions: rings.map(({ id }, line) => ({ id, rings: [[line]] })),
    unitsPerDegree,
  });
  return parts;
}
