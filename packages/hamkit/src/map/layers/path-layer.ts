/** Draws many paths at once: close ones share a line, and lines with more QSOs are wider. */
import { pointsAlong } from "../../geo/great-circle.js";
import type { Chart } from "../drawing/chart.js";
import { px } from "../drawing/shape.js";
import type { WeightedPath } from "./map-layers.js";

/** More lines than this hide the map, and each other. */
const MAX_LINES = 400;
/** Ends closer than this, in units, are one end; twice as far as often as the lines are too many. */
const CELL = 3;

/** QSOs of a line from which on it is drawn in this width. */
const WIDTHS = [
  { kind: "few", from: 1 },
  { kind: "some", from: 3 },
  { kind: "many", from: 20 },
] as const;

interface Line {
  readonly path: WeightedPath;
  qsos: number;
}

/** The lines, the dots at their ends, and the number of lines. */
export function drawPaths(paths: readonly WeightedPath[], chart: Chart): { svg: string; lines: number } {
  const lines = sharedLines(paths, chart);
  if (lines.length === 0) return { svg: "", lines: 0 };
  const strokes = WIDTHS.map(({ kind, from }, index) => {
    const below = WIDTHS[index + 1]?.from ?? Infinity;
    const some = lines.filter(({ qsos }) => qsos >= from && qsos < below);
    if (some.length === 0) return "";
    const coordinates = some.map(({ path }) =>
      pointsAlong(path.from, path.to, 3, "short").map(({ latitude, longitude }) => [longitude, latitude]),
    );
    return `<path class="ray ${kind}" d="${chart.trace({ type: "MultiLineString", coordinates })}"/>`;
  });
  const dots = lines.map(({ path }) => {
    const { x, y } = chart.locate(path.to);
    return `M${px(x)} ${px(y)}h0`;
  });
  return { svg: `${strokes.join("")}<path class="ends" d="${dots.join("")}"/>`, lines: lines.length };
}

/** Paths whose ends are in the same cells, as one line: that of the path with most QSOs. */
function sharedLines(paths: readonly WeightedPath[], chart: Chart): readonly Line[] {
  const ends = paths.map((path) => ({ path, from: chart.locate(path.from), to: chart.locate(path.to) }));
  for (let size = CELL * chart.unit; ; size *= 2) {
    const lines = new Map<string, Line>();
    for (const { path, from, to } of ends) {
      const cells = [from.x, from.y, to.x, to.y].map((value) => Math.floor(value / size));
      const key = cells.join();
      const line = lines.get(key);
      const qsos = (line?.qsos ?? 0) + path.qsos;
      lines.set(key, line === undefined || path.qsos > line.path.qsos ? { path, qsos } : { ...line, qsos });
    }
    if (lines.size <= MAX_LINES) return Array.from(lines.values());
  }
}
