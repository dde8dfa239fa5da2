/** Draws the locator system: fields of 20° by 10° with two letters, and on large scales squares of 2° by 1° with four characters. */
import { geoGraticule } from "d3-geo";

import { positionToLocator } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import type { Chart } from "../drawing/projection.js";
import {
  boundsOf,
  boxAround,
  centerOf,
  contains,
  distanceBetween,
  overlap,
  px,
  type Box,
  type Point,
} from "../drawing/shape.js";
import { textWidth } from "../svg-text.js";

const COLUMNS = 18;
const ROWS = 18;

/** If a map of the world has room for the letters of fewer fields than these, none is labeled: a few would look like a mistake. */
const MIN_LETTERS = 100;

/** Lines end this far from the poles, in degrees: a parallel at a pole is degenerate. */
const EPSILON = 1e-6;

/** Positions of the letters in degrees of longitude from the center of the field; the first free one is used. */
const SHIFTS = [0, -6, 6];

/** Squares are drawn where they are at least this wide, in units, so that a map of squares stays readable. */
const MIN_SQUARE = 72;

/** The lines as a `path` element, and the letters where they have room. */
export function drawLocatorGrid(chart: Chart, fontSize: number, taken: readonly Box[]): string {
  const hasSquares = chart.isSection && 2 / chart.degreesPerPixel >= MIN_SQUARE * chart.unit;
  if (hasSquares) return drawSquareGrid(chart, fontSize, taken);
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

/** Squares and their names, in the fields that the map shows a part of. */
function drawSquareGrid(chart: Chart, fontSize: number, taken: readonly Box[]): string {
  const onMap = boxAround(middleOf(chart), chart.width, chart.height);
  const fields = fieldCenters().filter((center) => overlap(onMap, boxOfField(center, chart)));
  const coordinates = fields.flatMap(({ latitude, longitude }) => {
    const top = 90 - EPSILON;
    const lines = geoGraticule()
      .precision(1)
      .step([2, 1])
      .extent([
        [longitude - 10, Math.max(latitude - 5, -top)],
        [longitude + 10, Math.min(latitude + 5, top)],
      ]);
    return lines().coordinates;
  });
  const names = fields.flatMap(squareCenters).flatMap((center) => {
    const point = chart.locate(center);
    const name = positionToLocator(center, 4);
    const box = boxAround(point, textWidth(name, fontSize), fontSize);
    if (!contains(onMap, point) || taken.some((other) => overlap(box, other))) return [];
    return [letterText(point, name, fontSize)];
  });
  const data = chart.trace({ type: "MultiLineString", coordinates });
  return `<path class="grid" d="${data}"/><g class="field">${names.join("")}</g>`;
}

/** The box around the corners of a field and the middles of its sides. */
function boxOfField({ latitude, longitude }: Position, { locate }: Chart): Box {
  const steps = [-1, 0, 1];
  return boundsOf(
    steps.flatMap((x) =>
      steps.map((y) => locate({ latitude: latitude + 5 * y, longitude: longitude + 10 * x })),
    ),
  );
}

function middleOf({ width, height }: Chart): Point {
  return { x: width / 2, y: height / 2 };
}

function squareCenters({ latitude, longitude }: Position): Position[] {
  return Array.from({ length: 100 }, (_, index) => ({
    longitude: longitude - 9 + 2 * (index % 10),
    latitude: latitude - 4.5 + Math.floor(index / 10),
  }));
}

function drawLetters(chart: Chart, fontSize: number, taken: readonly Box[]): string[] {
  const centers = fieldCenters().filter((center) => hasRoom(chart, center, fontSize));
  if (centers.length < MIN_LETTERS && !chart.isSection) return [];
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
