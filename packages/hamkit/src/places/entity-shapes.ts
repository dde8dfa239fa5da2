/** The indexes of the areas of the DXCC entities. */
import { createRegionIndex, type RegionIndex } from "../geo/region-index.js";
import { decodeLines } from "../geo/integer-text.js";
import { ENTITY_SHAPES } from "./generated/entity-areas.js";

/** Built with the first query: 25 ms. */
let polygons: RegionIndex | undefined;
let parts: RegionIndex | undefined;

/** The index of the entities' polygons. */
export function entityIndex(): RegionIndex {
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
export function subregionIndex(): RegionIndex {
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
