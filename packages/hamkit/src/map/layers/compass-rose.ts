/** Draws the compass rose and the distance rings of an azimuthal map. */
import { EARTH_RADIUS_KM } from "../../geo/great-circle.js";
import { pointOnDisk, type Disk } from "../drawing/projection.js";
import type { Route } from "../route.js";
import { boxAround, distanceBetween, px, type Drawing, type Point } from "../drawing/shape.js";
import { textWidth } from "../svg-text.js";
import { kilometers } from "../map-text.js";

const RINGS_KM = [5000, 10_000, 15_000];
const MAX_DISTANCE_KM = Math.PI * EARTH_RADIUS_KM;

const CARDINALS: Readonly<Record<number, string>> = { 0: "N", 90: "E", 180: "S", 270: "W" };

/** Headings on which the labels of the rings may be placed. */
const DIAGONALS = [45, 135, 225, 315];

/** Ticks every 5°, labels every 30°, and a pointer at the heading of each route. */
export function drawRose(disk: Disk, routes: readonly Route[], unit: number): Drawing {
  const { center, radius } = disk;
  const headings = Array.from({ length: 72 }, (_, index) => index * 5);
  const ticks = headings.map((heading) => tick(disk, heading, unit)).join("");
  const figures = headings.filter(isFigured).map((heading) => {
    const point = pointOnDisk(center, heading, radius + 25 * unit);
    const cardinal = CARDINALS[heading];
    const kind = cardinal === undefined ? "" : ` class="cardinal"`;
    const text = `<text${kind} x="${px(point.x)}" y="${px(point.y + 4 * unit)}">${cardinal ?? `${heading}°`}</text>`;
    return { text, box: boxAround(point, 34 * unit, 16 * unit) };
  });
  const texts = figures.map(({ text }) => text).join("");
  const pointers = routes.map(({ heading }) => (heading === undefined ? "" : pointer(disk, heading, unit)));
  return {
    svg: `<path class="tick" d="${ticks}"/><g class="rose">${texts}</g>${pointers.join("")}`,
    boxes: figures.map(({ box }) => box),
  };
}

function isFigured(heading: number): boolean {
  return heading % 30 === 0;
}

function tick({ center, radius }: Disk, heading: number, unit: number): string {
  const length = isFigured(heading) ? 10 : heading % 10 === 0 ? 7 : 4;
  const from = pointOnDisk(center, heading, radius + 2 * unit);
  const to = pointOnDisk(center, heading, radius + (2 + length) * unit);
  return `M${px(from.x)} ${px(from.y)}L${px(to.x)} ${px(to.y)}`;
}

/** A triangle outside the edge with its tip on the edge. */
function pointer({ center, radius }: Disk, heading: number, unit: number): string {
  const halfWidth = ((5.5 * unit) / radius / Math.PI) * 180;
  const corners = [
    pointOnDisk(center, heading, radius + unit),
    pointOnDisk(center, heading + halfWidth, radius + 15 * unit),
    pointOnDisk(center, heading - halfWidth, radius + 15 * unit),
  ].map(({ x, y }) => `${px(x)} ${px(y)}`);
  return `<path class="pointer" d="M${corners.join("L")}z"/>`;
}

/** Rings every 5000 km, with labels on the diagonal that is farthest from the points to avoid. */
export function drawRings({ center, radius }: Disk, avoided: readonly Point[], fontSize: number): Drawing {
  const radii = RINGS_KM.map((km) => (km / MAX_DISTANCE_KM) * radius);
  const diagonals = DIAGONALS.map((heading) => radii.map((away) => pointOnDisk(center, heading, away)));
  const places = farthestFrom(avoided, diagonals);

  const circles = radii.map((away) => `<circle cx="${px(center.x)}" cy="${px(center.y)}" r="${px(away)}"/>`);
  const texts = places.map(
    ({ x, y }, i) =>
      `<text x="${px(x)}" y="${px(y + 0.35 * fontSize)}">${kilometers(RINGS_KM[i] ?? 0)}</text>`,
  );
  return {
    svg: `<g class="ring">${circles.join("")}</g><g class="distance">${texts.join("")}</g>`,
    boxes: places.map((point, i) =>
      boxAround(point, textWidth(kilometers(RINGS_KM[i] ?? 0), fontSize), 1.3 * fontSize),
    ),
  };
}

/** The row of points with the largest minimum distance to the points to avoid. */
function farthestFrom(avoided: readonly Point[], rows: readonly (readonly Point[])[]): readonly Point[] {
  const distance = (row: readonly Point[]) =>
    Math.min(...row.flatMap((point) => avoided.map((other) => distanceBetween(point, other))));
  const [first = [], ...others] = rows;
  return others.reduce((best, row) => (distance(row) > distance(best) ? row : best), first);
}
