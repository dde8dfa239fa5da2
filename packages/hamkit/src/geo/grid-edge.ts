/** Edges of polygons on a grid, and where they are relative to points and rectangles. Coordinates are in units of the grid. */
import type { Rectangle } from "./locator-rectangle.js";

/** An edge from its lower to its upper end. */
export interface Edge {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  /** At least `y1`. */
  readonly y2: number;
  /** The regions on its sides; twice the same one where it only cuts a region. */
  readonly owners: readonly number[];
}

/** Whether a line from a point to the east crosses an edge. The lower end belongs to the edge, the upper one does not. */
export function isCrossedFrom({ x1, y1, x2, y2 }: Edge, x: number, y: number): boolean {
  return y >= y1 && y < y2 && (x - x1) * (y2 - y1) < (y - y1) * (x2 - x1);
}

/** The distance of a point from an edge, with differences of longitude multiplied by `narrowing`. */
export function offsetFrom(edge: Edge, x: number, y: number, narrowing: number): number {
  const alongX = (edge.x2 - edge.x1) * narrowing;
  const alongY = edge.y2 - edge.y1;
  const fromX = (x - edge.x1) * narrowing;
  const fromY = y - edge.y1;
  const squaredLength = alongX * alongX + alongY * alongY;
  const part = squaredLength === 0 ? 0 : (fromX * alongX + fromY * alongY) / squaredLength;
  const foot = Math.min(Math.max(part, 0), 1);
  return Math.hypot(fromX - foot * alongX, fromY - foot * alongY);
}

/**
 * Whether an edge has points inside a rectangle, whose sides don't belong to it.
 *
 * @see Liang and Barsky, "A New Concept and Method for Line Clipping", ACM TOG 3 (1984).
 */
export function isInside({ x1, y1, x2, y2 }: Edge, { west, south, east, north }: Rectangle): boolean {
  let first = 0;
  let last = 1;
  const sides = [
    [x1 - x2, x1 - west],
    [x2 - x1, east - x1],
    [y1 - y2, y1 - south],
    [y2 - y1, north - y1],
  ] as const;
  for (const [direction, room] of sides) {
    if (direction === 0 && room <= 0) return false;
    if (direction < 0) first = Math.max(first, room / direction);
    if (direction > 0) last = Math.min(last, room / direction);
  }
  return first < last;
}
