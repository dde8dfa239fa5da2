/** The areas of the DXCC entities, as hamkit/places has them. Loaded with the first map that shows entities. */
import { decodeLines } from "../../geo/integer-text.js";
import { ENTITY_SHAPES } from "../../places/generated/entity-areas.js";
import { capAround, type Cap } from "./cap.js";
import { cutAt180, subdivided, type FlatPoint } from "./flat-line.js";

type Ring = readonly FlatPoint[];

/** An outline, in longitude and latitude; a point is inside if it is in an odd number of rings. */
export interface Outline {
  /** Closed rings; edges of more than 180° lead across 180°. */
  readonly rings: readonly Ring[];
  /** The same, cut at 180°. */
  readonly cut: readonly Ring[];
  /** Around each ring. */
  readonly caps: readonly Cap[];
}

/** A line of coasts or borders. */
export interface BorderLine {
  readonly points: Ring;
  readonly cap: Cap;
}

/** The outlines of entities. */
export interface EntityAreas {
  readonly outlines: ReadonlyMap<number, Outline>;
  /** The lines of which the outlines consist, each once: where land and sea meet, and between two entities. */
  readonly shores: readonly BorderLine[];
  readonly frontiers: readonly BorderLine[];
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
    ...bordersOf(lines, shapes),
    parts,
  };
  return known;
}

/** The lines by the number of entities that they bound. Cuts along 180° and the pole are none of them. */
function bordersOf(
  lines: readonly Ring[],
  shapes: readonly (readonly [entity: number, rings: readonly (readonly number[])[]])[],
): Pick<EntityAreas, "shores" | "frontiers"> {
  const shores: BorderLine[] = [];
  const frontiers: BorderLine[] = [];
  const sides = new Map<number, number[]>();
  for (const [entity, rings] of shapes)
    for (const index of rings.flat()) {
      const line = index < 0 ? ~index : index;
      sides.set(line, [...(sides.get(line) ?? []), entity]);
    }
  for (const [index, [one, other]] of sides) {
    if (one === other) continue;
    const parts = withoutCuts(lines[index] ?? []).map((part) => {
      const points = subdivided(part);
      return { points, cap: capAround(points) };
    });
    (other === undefined ? shores : frontiers).push(...parts);
  }
  return { shores, frontiers };
}

/** The parts of a line that lead neither along 180° or the south pole, nor across 180°. */
function withoutCuts(line: Ring): FlatPoint[][] {
  const parts: FlatPoint[][] = [];
  let part: FlatPoint[] = [];
  for (const [index, end] of line.entries()) {
    const start = line[index - 1];
    if (start !== undefined && isCut(start, end)) {
      parts.push(part);
      part = [];
    }
    part.push(end);
  }
  return [...parts, part].filter(({ length }) => length > 1);
}

function isCut([x1, y1]: FlatPoint, [x2, y2]: FlatPoint): boolean {
  const isAlong180 = Math.abs(x1) === 180 && Math.abs(x2) === 180;
  return isAlong180 || Math.abs(x2 - x1) > 180 || (y1 < -89.9 && y2 < -89.9);
}

function outlineOf(rings: readonly Ring[]): Outline {
  return { rings, cut: rings.flatMap(cutAt180), caps: rings.map(capAround) };
}
