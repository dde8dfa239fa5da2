/** Lines and rings in longitude and latitude, whose edges are straight there. */

/** Longitude and latitude in degrees. */
export type FlatPoint = readonly [longitude: number, latitude: number];

/** Great circles between points that are this far apart, in degrees, differ from straight lines by 0.01° or less. */
const MAX_STEP = 1.5;

/** A line with points between those that are far apart. */
export function subdivided(points: readonly FlatPoint[]): [number, number][] {
  return points.flatMap(([x, y], index) => {
    const [x0, y0] = points[index - 1] ?? [x, y];
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x - x0), Math.abs(y - y0)) / MAX_STEP));
    return Array.from({ length: steps }, (_, step): [number, number] => {
      const part = (step + 1) / steps;
      return [x0 + (x - x0) * part, y0 + (y - y0) * part];
    });
  });
}

/** A line without points that are closer to the last one than `detail` degrees; both ends are kept. */
export function thinned<Point extends FlatPoint>(line: readonly Point[], detail: number): Point[] {
  let last: Point | undefined;
  return line.filter((point, index) => {
    const isKept =
      last === undefined ||
      index === line.length - 1 ||
      Math.max(Math.abs(point[0] - last[0]), Math.abs(point[1] - last[1])) >= detail;
    if (isKept) last = point;
    return isKept;
  });
}

/** Whether a point is inside an odd number of rings. */
export function isInsideRings(rings: readonly (readonly FlatPoint[])[], [x, y]: FlatPoint): boolean {
  let inside = false;
  for (const ring of rings) {
    for (const [index, [x2, y2]] of ring.entries()) {
      const [x1, y1] = ring.at(index - 1) ?? [x2, y2];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    }
  }
  return inside;
}

/**
 * A closed ring cut into rings between -180° and 180°. An edge of more than 180° leads across 180°; a ring around a pole gets an
 * edge along it.
 */
export function cutAt180(ring: readonly FlatPoint[]): FlatPoint[][] {
  const flat = unrolled(ring);
  const longitudes = flat.map(([x]) => x);
  const first = Math.floor((Math.min(...longitudes) + 180) / 360);
  const last = Math.ceil((Math.max(...longitudes) - 180) / 360);
  if (first >= last && first === 0) return [flat];
  const pieces: FlatPoint[][] = [];
  for (let turn = first; turn <= last; turn++) {
    const shifted = flat.map(([x, y]): FlatPoint => [x - 360 * turn, y]);
    const piece = cutBy(cutBy(shifted, 180, 1), -180, -1);
    if (piece.length > 2) pieces.push(piece);
  }
  return pieces;
}

/** The ring with longitudes beyond 180° instead of jumps. */
function unrolled(ring: readonly FlatPoint[]): FlatPoint[] {
  let turns = 0;
  const flat = ring.map(([x, y], index): FlatPoint => {
    const [before] = ring[index - 1] ?? [x];
    if (x - before > 180) turns--;
    else if (x - before < -180) turns++;
    return [x + 360 * turns, y];
  });
  const [start, end] = [flat[0], flat.at(-1)];
  if (turns === 0 || start === undefined || end === undefined) return flat;
  const pole = start[1] < 0 ? -90 : 90;
  return [...flat, [end[0], pole], [start[0], pole]];
}

/** The part of a ring west (side 1) or east (side -1) of a meridian (Sutherland and Hodgman, 1974). */
function cutBy(ring: readonly FlatPoint[], meridian: number, side: 1 | -1): FlatPoint[] {
  const distance = ([x]: FlatPoint) => side * (meridian - x);
  return ring.flatMap((end, index) => {
    const start = ring.at(index - 1) ?? end;
    const [before, after] = [distance(start), distance(end)];
    const share = before / (before - after);
    const crossing: FlatPoint = [meridian, start[1] + (end[1] - start[1]) * share];
    const isCrossing = (before < 0 && after > 0) || (before > 0 && after < 0);
    return [...(isCrossing ? [crossing] : []), ...(after >= 0 ? [end] : [])];
  });
}
