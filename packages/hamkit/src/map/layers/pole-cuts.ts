/** Paths over a pole, which is an edge of most maps: a line to it and one from it, rather than one along the edge. */
import { headingDegrees } from "../../geo/great-circle.js";
import type { Position } from "../../geo/position.js";
import type { Coordinates } from "../drawing/coastline.js";

/** A path that comes closer to a pole than this, in degrees, leads over it: two kilometers. */
const CLOSE = 0.02;
const RADIANS = Math.PI / 180;

/** The lines of a path between points that are less than 180° apart. */
export function cutAtPoles(points: readonly Position[]): Coordinates[][] {
  const lines: Coordinates[][] = [];
  let line: Coordinates[] = [];
  for (const [index, point] of points.entries()) {
    const { latitude, longitude } = point;
    const before = points[index - 1];
    const next = points[index + 1];
    if (isPole(point)) {
      // On the meridian by which the path comes, and on that by which it leaves.
      if (before !== undefined && !isPole(before)) line.push([before.longitude, latitude]);
      lines.push(line);
      line = next === undefined || isPole(next) ? [] : [[next.longitude, latitude]];
      continue;
    }
    if (before !== undefined && isOverPole(before, point)) {
      const pole = latitude + before.latitude > 0 ? 90 : -90;
      line.push([before.longitude, pole]);
      lines.push(line);
      line = [[longitude, pole]];
    }
    line.push([longitude, latitude]);
  }
  return [...lines, line].filter(({ length }) => length > 1);
}

function isPole({ latitude }: Position): boolean {
  return Math.abs(latitude) > 90 - CLOSE;
}

/** Whether the great circle between two points passes a pole closely, and between them. */
function isOverPole(from: Position, to: Position): boolean {
  if (isPole(from)) return false;
  const turn = to.longitude - from.longitude;
  if (Math.abs(turn - 360 * Math.round(turn / 360)) < 90) return false;
  const away = Math.cos(from.latitude * RADIANS) * Math.sin(headingDegrees(from, to) * RADIANS);
  return Math.abs(away) < CLOSE * RADIANS;
}
