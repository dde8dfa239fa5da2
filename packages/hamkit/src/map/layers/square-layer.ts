/** Draws locator squares, worked and confirmed. */
import type { Chart } from "../drawing/chart.js";
import type { Coordinates } from "../drawing/coastline.js";
import { cornerOf, runsOf, type SquareIndex, type SquareRun } from "./square-index.js";

/** Outlines end this far from the poles, in degrees: a parallel at a pole is a point. */
const POLE = 89.999;

/** A `path` for the worked squares, and one for the confirmed ones. */
export function drawSquares(squares: ReadonlyMap<SquareIndex, boolean>, { trace }: Chart): string {
  return [false, true]
    .map((confirmed) => {
      const some = Array.from(squares).flatMap(([square, isConfirmed]) =>
        isConfirmed === confirmed ? [square] : [],
      );
      if (some.length === 0) return "";
      const coordinates = runsOf(some).map((run) => [outline(run)]);
      const kind = confirmed ? "confirmed" : "worked";
      return `<path class="square ${kind}" d="${trace({ type: "MultiPolygon", coordinates })}"/>`;
    })
    .join("");
}

/** The outline of a row, clockwise as seen from above. Great circles along 2° of a parallel are 0.01° off at the most. */
function outline({ first, count }: SquareRun): Coordinates[] {
  const { latitude, longitude } = cornerOf(first);
  const south = Math.max(latitude, -POLE);
  const north = Math.min(latitude + 1, POLE);
  const meridians = Array.from({ length: count + 1 }, (_, index) => longitude + 2 * index);
  const ring = [
    ...meridians.map((x): Coordinates => [x, north]),
    ...meridians.toReversed().map((x): Coordinates => [x, south]),
  ];
  return [...ring, [longitude, north]];
}
