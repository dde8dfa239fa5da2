/** The borders of the CQ and ITU zones: lines, and a place for the number of each zone. Loaded with the first map that has them. */
import type { Position } from "../../geo/position.js";
import { zonePolygons, type LongitudeLatitude } from "../../zones/zone-polygons.js";
import { GRID_PER_DEGREE, readZoneBorders, type ZoneKind } from "../../zones/zone-borders.js";
import { zonesAt } from "../../zones/zones-at.js";
import { subdivided } from "./flat-line.js";
import { innerPoint } from "./inner-point.js";

/** The borders of one kind of zones. */
export interface ZoneLines {
  /** Lines in longitude and latitude; between two points at most 1.5° straight in these. */
  readonly lines: readonly LongitudeLatitude[][];
  readonly labels: readonly { readonly zone: number; readonly place: Position }[];
}

/** Details of outlines that don't matter for the place of a number, in degrees. */
const LABEL_DETAIL = 0.5;

/** Polygons end here, where no zones meet. */
const TOP = 84.999;

/** Cache: a program draws many maps of one kind. */
const known = new Map<ZoneKind, ZoneLines>();

export function zoneLines(kind: ZoneKind): ZoneLines {
  const cached = known.get(kind);
  if (cached !== undefined) return cached;
  const { arcs } = readZoneBorders(kind);
  const lines = arcs.flatMap((arc) => bordersOf(pointsOf(arc), kind)).map(subdivided);
  const labels = zonePolygons(kind).features.map(({ properties, geometry }) => ({
    zone: properties.zone,
    place: innerPoint(geometry.coordinates, LABEL_DETAIL),
  }));
  known.set(kind, { lines, labels });
  return { lines, labels };
}

function pointsOf(arc: Int32Array): LongitudeLatitude[] {
  return Array.from({ length: arc.length / 2 }, (_, index) => [
    (arc[2 * index] ?? 0) / GRID_PER_DEGREE,
    (arc[2 * index + 1] ?? 0) / GRID_PER_DEGREE,
  ]);
}

/** The parts of a line that are borders: not the edges where polygons are cut at 180° or end near the poles. */
function bordersOf(points: readonly LongitudeLatitude[], kind: ZoneKind): LongitudeLatitude[][] {
  const parts: LongitudeLatitude[][] = [];
  let part: LongitudeLatitude[] = [];
  for (const [index, end] of points.entries()) {
    const start = points[index - 1];
    if (start !== undefined && !isBorder(start, end, kind)) {
      if (part.length > 1) parts.push(part);
      part = [];
    }
    part.push(end);
  }
  return part.length > 1 ? [...parts, part] : parts;
}

function isBorder([x1, y1]: LongitudeLatitude, [x2, y2]: LongitudeLatitude, kind: ZoneKind): boolean {
  if (Math.abs(y1) > TOP && Math.abs(y2) > TOP) return false;
  if (Math.abs(x1) < 180 || Math.abs(x2) < 180) return true;
  // Each side of the 180th meridian has a line of its own, which one of them draws.
  const latitude = (y1 + y2) / 2;
  const [west, east] = [-179.999, 179.999].map(
    (longitude) => zonesAt({ latitude, longitude })[kind === "cq" ? "cqz" : "ituz"],
  );
  return x1 > 0 && west?.join() !== east?.join();
}
