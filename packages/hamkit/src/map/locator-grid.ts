/** Draws the fields of the locator system: lines every 20° by 10°, and two letters in each field. */
import { geoGraticule } from "d3-geo";

import { positionToLocator } from "../geo/locator.js";
import type { Position } from "../geo/position.js";
import type { Chart } from "./drawing/chart.js";
import { boxAround, centerOf, distanceBetween, overlap, px, type Box, type Point } from "./drawing/shape.js";

const COLUMNS = 18;
const ROWS = 18;

/** If fewer fields than these have room for their letters, none is labeled: a few labels would look like a mistake. */
const MIN_LETTERS = 100;

/** Lines end this far from the poles, in degrees: a parallel at a pole is degenerate. */
const EPSILON = 1e-6;

/** Positions of the letters in degrees of longitude from the center of the field; the first free one is used. */
const SHIFTS = [0, -6, 6];

/** The lines as a `path` element, and the letters where they have room. */
export function drawLocatorGrid(chart: Chart, fontSize: number, taken: readonly Box[]): string {
  const top = 90 - EPSILON;
  const lines = geoGraticule()
    .step([20, 10])
    .extent([
      [-180, -top],
      [180, top],
    ]);
  const letters = drawLetters(chart, fontSize, taken);
  return `<path class="grid" d="${chart.trace(lines())}"/><g class="field">${letters.join("")}</g>`;
}

function drawLetters(chart: Chart, fontSize: number, taken: readonly Box[]): string[] {
  const centers = fieldCenters().filter((center) => hasRoom(chart, center, fontSize));
  if (centers.length < MIN_LETTERS) return [];
  const boxes = [...taken];
  return centers.flatMap((center) => {
    const box = freePlaceIn(center, boxes, chart, fontSize);
    if (box === undefined) return [];
    boxes.push(box);
    return [letterText(centerOf(box), positionToLocator(center, 4).slice(0, 2), fontSize)];
  });
}

function freePlaceIn(
  { latitude, longitude }: Position,
  taken: readonly Box[],
  { locate, disk }: Chart,
  fontSize: number,
): Box | undefined {
  for (const shift of SHIFTS) {
    const point = locate({ latitude, longitude: longitude + shift });
    const isInside = disk === undefined || distanceBetween(disk.center, point) < disk.radius - fontSize;
    const box = boxAround(point, 1.6 * fontSize, fontSize);
    if (isInside && !taken.some((other) => overlap(box, other))) return box;
  }
  return undefined;
}

function fieldCenters(): Position[] {
  return Array.from({ length: COLUMNS * ROWS }, (_, index) => ({
    longitude: (index % COLUMNS) * 20 - 170,
    latitude: Math.floor(index / COLUMNS) * 10 - 85,
  }));
}

/** Whether the projected field is large enough for its letters. */
function hasRoom({ locate }: Chart, { latitude, longitude }: Position, fontSize: number): boolean {
  const west = locate({ latitude, longitude: longitude - 10 });
  const east = locate({ latitude, longitude: longitude + 10 });
  const south = locate({ latitude: latitude - 5, longitude });
  const north = locate({ latitude: latitude + 5, longitude });
  const width = distanceBetween(west, east);
  const area = Math.abs((east.x - west.x) * (north.y - south.y) - (east.y - west.y) * (north.x - south.x));
  return width >= 2 * fontSize && area / width >= 1.4 * fontSize;
}

function letterText({ x, y }: Point, letters: string, fontSize: number): string {
  return `<text x="${px(x)}" y="${px(y + 0.35 * fontSize)}">${letters}</text>`;
}
