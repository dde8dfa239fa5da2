/** The borders of the CQ and ITU zones, as lines that neighbors share. */
import { decodeLines } from "../geo/integer-text.js";
import { CQ_ZONES } from "./generated/cq-zones.js";
import { ITU_ZONES } from "./generated/itu-zones.js";

/** The two systems of zones: those of CQ magazine, 1 to 40, and those of the ITU, 1 to 90. */
export type ZoneKind = "cq" | "itu";

/** A line between two vertices where borders meet: longitude, latitude, longitude, ... on the grid of `GRID_PER_DEGREE`. */
export type Arc = Int32Array;

/** A zone: polygons of an outer ring and holes, as indices of arcs; `~index` is an arc in reverse. */
export interface ZoneShape {
  readonly zone: number;
  readonly polygons: readonly (readonly (readonly number[])[])[];
}

/** The borders of one kind of zones. */
export interface ZoneBorders {
  readonly arcs: readonly Arc[];
  readonly zones: readonly ZoneShape[];
}

/** Coordinates are whole thousandths of a degree. */
export const GRID_PER_DEGREE = 1000;

/** The borders of all zones of a kind, decoded: 12,000 vertices of CQ zones, 6000 of ITU zones. */
export function readZoneBorders(kind: ZoneKind): ZoneBorders {
  const { arcs, zones } = kind === "cq" ? CQ_ZONES : ITU_ZONES;
  const shapes = JSON.parse(zones) as [number, ZoneShape["polygons"]][];
  return {
    arcs: decodeLines(arcs),
    zones: shapes.map(([zone, polygons]) => ({ zone, polygons })),
  };
}
