/** The areas of the DXCC entities, as hamkit/places has them. Loaded with the first map that shows entities. */
import { decodeLines } from "../../geo/integer-text.js";
import { ENTITY_SHAPES } from "../../places/generated/entity-areas.js";
import { cutAt180, subdivided, type FlatPoint } from "./flat-line.js";

type Ring = readonly FlatPoint[];

/** An outline, in longitude and latitude; a point is inside if it is in an odd number of rings. */
export interface Outline {
  /** Closed rings; edges of more than 180° lead across 180°. */
  readonly rings: readonly Ring[];
  /** The same, cut at 180°. */
  readonly cut: readonly Ring[];
}

/** The outlines of entities. */
export interface EntityAreas {
  readonly outlines: ReadonlyMap<number, Outline>;
  /** Parts of an entity's area that belong to another entity. */
  readonly parts: readonly {
    readonly region: number;
    readonly entity: number;
    /** They may overlap. */
    readonly outlines: readonly Outline[];
  }[];
}

/** Cache: a program draws many maps. */
let known: EntityAreas | undefined;

export function entityAreas(): EntityAreas {
  if (known !== undefined) return known;
  const { unitsPerDegree, regions, subregions } = ENTITY_SHAPES;
  const lines = decodeLines(ENTITY_SHAPES.lines).map((line) =>
    Array.from({ length: line.length / 2 }, (_, index): FlatPoint => [
      (line[2 * index] ?? 0) / unitsPerDegree,
      (line[2 * index + 1] ?? 0) / unitsPerDegree,
    ]),
  );
  const shapes = JSON.parse(regions) as [entity: number, rings: number[][]][];
  const ringOf = (indices: readonly number[]) =>
    indices.flatMap((index) => (index < 0 ? lines[~index]?.toReversed() : lines[index]) ?? []);
  const parts = subregions.map(({ region, entity, rings }) => ({
    region,
    entity,
    outlines: rings.map((ring) => outlineOf([subdivided(ring.map(([x = 0, y = 0]): FlatPoint => [x, y]))])),
  }));
  known = {
    outlines: new Map(shapes.map(([entity, rings]) => [entity, outlineOf(rings.map(ringOf))])),
    parts,
  };
  return known;
}

function outlineOf(rings: readonly Ring[]): Outline {
  return { rings, cut: rings.flatMap(cutAt180) };
}
