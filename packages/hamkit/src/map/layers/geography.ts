/** Draws land in detail, the borders of entities and their names: layers of the areas of hamkit/places. */
import type { Chart } from "../drawing/projection.js";
import { boxAround, contains, distanceBetween, overlap, px, type Box } from "../drawing/shape.js";
import { escapeText, shorten, textWidth } from "../svg-text.js";
import { outlineText } from "./entity-layer.js";
import { capsMeet } from "./cap.js";
import type { BorderLine, EntityAreas, Outline } from "./entity-outlines.js";
import { thinned } from "./flat-line.js";
import type { MapName } from "./map-layers.js";

/** Points closer than this, in units, are left out. */
const DETAIL = 0.5;
/** Free room around a name, in units, so that names don't look like one. */
const ROOM = 5;
/** An entity has a name where it is at least this large, relative to its name. */
const MIN_SHARE = 0.7;
/** Degrees per unit below which every entity has a name, however small: a tenth of the world fills a screen. */
const NEAR = 0.04;
const MAX_NAME_WIDTH = 150;

/** Land with its coasts at a scale of 1:50 million, and borders between entities. */
export function drawLand(areas: EntityAreas, hasBorders: boolean, chart: Chart): string {
  const data = Array.from(areas.outlines.values(), (outline) => outlineText(outline, chart));
  const shores = `<path class="shore" d="${linesText(areas.shores, chart)}"/>`;
  const frontiers = hasBorders ? `<path class="frontier" d="${linesText(areas.frontiers, chart)}"/>` : "";
  return `<path class="ground" d="${data.join("")}"/>${shores}${frontiers}`;
}

/** Lines as data of a path; those outside of a section are left out. */
function linesText(
  lines: readonly BorderLine[],
  { unit, degreesPerPixel, cap: shown, trace }: Chart,
): string {
  const detail = DETAIL * unit * degreesPerPixel;
  const coordinates = lines
    .filter(({ cap }) => shown === undefined || capsMeet(shown, cap))
    .map(({ points }) => thinned(points, detail).map(([x, y]): [number, number] => [x, y]));
  return trace({ type: "MultiLineString", coordinates });
}

/** Names where they have room, those of large entities first. */
export function drawNames(
  names: readonly MapName[],
  { outlines }: EntityAreas,
  chart: Chart,
  fontSize: number,
  taken: readonly Box[],
): { svg: string; boxes: readonly Box[] } {
  const { disk, locate, unit, degreesPerPixel, width, height } = chart;
  const frame = { x: 0, y: 0, width, height };
  const sized = names.map((name) => ({ ...name, size: sizeOf(outlines.get(name.adif)) }));
  const boxes: Box[] = [];
  const isNear = degreesPerPixel * unit < NEAR;
  const texts = sized
    .toSorted((a, b) => b.size - a.size)
    .flatMap(({ text, size, ...place }) => {
      const point = locate(place);
      const name = shorten(text, MAX_NAME_WIDTH * unit, fontSize);
      const box = boxAround(point, textWidth(name, fontSize) + ROOM * unit, 1.3 * fontSize);
      const isSmall = !isNear && size / degreesPerPixel < MIN_SHARE * box.width;
      const isOutside =
        !contains(frame, point) ||
        (disk !== undefined && distanceBetween(disk.center, point) > disk.radius - box.width / 2);
      if (isSmall || isOutside || [...taken, ...boxes].some((other) => overlap(box, other))) return [];
      boxes.push(box);
      return [`<text x="${px(point.x)}" y="${px(point.y + 0.35 * fontSize)}">${escapeText(name)}</text>`];
    });
  return { svg: `<g class="entity">${texts.join("")}</g>`, boxes };
}

/** The side of a square of the same area, in degrees of latitude. */
function sizeOf(outline: Outline | undefined): number {
  let area = 0;
  for (const ring of outline?.cut ?? [])
    for (const [index, [x, y]] of ring.entries()) {
      const [x0, y0] = ring.at(index - 1) ?? [x, y];
      area += (x - x0) * Math.sin(((y + y0) / 2) * (Math.PI / 180));
    }
  return Math.sqrt(Math.abs(area) * (180 / Math.PI));
}
