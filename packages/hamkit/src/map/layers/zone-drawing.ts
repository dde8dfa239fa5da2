/** Draws zone borders and the numbers of the zones. */
import type { Chart } from "../drawing/chart.js";
import { boxAround, distanceBetween, overlap, px, type Box, type Drawing } from "../drawing/shape.js";
import { textWidth } from "../svg-text.js";
import { thinned } from "./flat-line.js";
import type { ZoneLines } from "./zone-layer.js";

/** Points closer than this, in units, are left out: details of coasts, which a line of a world map can't show. */
const DETAIL = 0.8;

/** Lines and numbers; numbers that would cover others are left out. */
export function drawZones(
  { lines, labels }: ZoneLines,
  chart: Chart,
  fontSize: number,
  taken: readonly Box[],
): Drawing {
  const { disk, locate, trace, unit, degreesPerPixel } = chart;
  const detail = DETAIL * unit * degreesPerPixel;
  const coordinates = lines.map((line) => thinned(line, detail));
  const boxes: Box[] = [];
  const texts = labels.flatMap(({ zone, place }) => {
    const point = locate(place);
    const box = boxAround(point, textWidth(String(zone), fontSize) + 2, 1.2 * fontSize);
    const isOutside = disk !== undefined && distanceBetween(disk.center, point) > disk.radius - fontSize;
    if (isOutside || [...taken, ...boxes].some((other) => overlap(box, other))) return [];
    boxes.push(box);
    return `<text x="${px(point.x)}" y="${px(point.y + 0.35 * fontSize)}">${zone}</text>`;
  });
  const data = trace({ type: "MultiLineString", coordinates });
  return { svg: `<path class="border" d="${data}"/><g class="zone">${texts.join("")}</g>`, boxes };
}
