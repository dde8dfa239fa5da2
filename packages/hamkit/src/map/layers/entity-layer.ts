/** Colors DXCC entities, worked and confirmed: areas, and dots where these are too small to be seen. */
import type { Position } from "../../geo/position.js";
import type { Chart } from "../drawing/projection.js";
import { createPathText } from "../drawing/path-text.js";
import { boundsOf, px } from "../drawing/shape.js";
import { capsMeet, type Cap } from "./cap.js";
import type { EntityAreas, Outline } from "./entity-outlines.js";
import { cutAt180, isInsideRings, thinned, type FlatPoint } from "./flat-line.js";
import { MAP_ID } from "./map-id.js";
import type { MarkedEntity } from "./map-layers.js";

/** Smaller areas than this, in units, become dots. */
const MIN_SIZE = 5;
/** Points closer than this, in units, are left out. */
const DETAIL = 0.5;
/** Points of the edge of a round map. */
const EDGE_POINTS = 90;

type Kind = "worked" | "confirmed";

/** The areas of the entities, and dots for the others. */
export function drawEntities(
  entities: readonly MarkedEntity[],
  { outlines, parts }: EntityAreas,
  chart: Chart,
): { areas: string; dots: string } {
  const kinds = new Map(
    entities.map(({ adif, confirmed }): [number, Kind] => [adif, confirmed ? "confirmed" : "worked"]),
  );
  const areas = Array.from(outlines, ([adif, outline]) => {
    const kind = kinds.get(adif);
    const inside = parts.filter(({ region }) => region === adif);
    const clips = inside.filter(({ entity }) => kind !== undefined || kinds.has(entity));
    if (kind === undefined && clips.length === 0) return "";
    const data = outlineText(outline, chart);
    const others = clips.map(({ entity, outlines: borders }) => {
      const id = `${MAP_ID}-part${entity}`;
      const shapes = borders.map((border) => `<path d="${outlineText(border, chart)}" clip-rule="evenodd"/>`);
      const kindOfPart = areaClass(kinds.get(entity));
      return (
        `<clipPath id="${id}">${shapes.join("")}</clipPath>` +
        `<path class="${kindOfPart}" clip-path="url(#${id})" d="${data}"/>`
      );
    });
    return (kind === undefined ? "" : `<path class="${areaClass(kind)}" d="${data}"/>`) + others.join("");
  });
  const isSmall = ({ adif }: MarkedEntity) =>
    !parts.some(({ entity }) => entity === adif) &&
    sizeOf(outlines.get(adif)?.cut ?? [], chart) < MIN_SIZE * chart.unit;
  return { areas: areas.join(""), dots: drawDots(entities.filter(isSmall), chart) };
}

function areaClass(kind: Kind | undefined): string {
  return kind === undefined ? "area" : `area ${kind}`;
}

/** The rings as data of a path, without those outside of a section; the edge of a round map is its antipode. */
export function outlineText(outline: Outline, chart: Chart): string {
  const { disk, unit, degreesPerPixel, locateFrom } = chart;
  const detail = DETAIL * unit * degreesPerPixel;
  const text = createPathText();
  const draw = (points: readonly { x: number; y: number }[]) => {
    for (const [index, { x, y }] of points.entries()) {
      if (index === 0) text.moveTo(x, y);
      else text.lineTo(x, y);
    }
    text.closePath();
  };
  const surrounds = disk !== undefined && hasAntipode(outline, disk.middle);
  for (const ring of ringsIn(outline, chart, surrounds)) {
    const points = thinned(ring, detail);
    if (points.length > 2) draw(points.map(([longitude, latitude]) => locateFrom({ latitude, longitude })));
  }
  if (disk === undefined || !surrounds) return text.read();
  const { center, radius } = disk;
  draw(
    Array.from({ length: EDGE_POINTS }, (_, index) => {
      const angle = (index / EDGE_POINTS) * 2 * Math.PI;
      return { x: center.x + radius * Math.cos(angle), y: center.y + radius * Math.sin(angle) };
    }),
  );
  return text.read();
}

/** The rings that a section shows a part of; in longitudes relative to its meridian, cut 180° from it, unless the map is round. */
function ringsIn(
  { rings, cut, caps }: Outline,
  { disk, cap: shown, meridian }: Chart,
  isWhole: boolean,
): readonly (readonly FlatPoint[])[] {
  const some =
    shown === undefined || isWhole ? rings : rings.filter((_, index) => capsMeet(shown, caps[index] as Cap));
  if (disk !== undefined) return some;
  if (meridian === 0 && some.length === rings.length) return cut;
  const turned = ([x, y]: FlatPoint): FlatPoint => [x - meridian - 360 * Math.round((x - meridian) / 360), y];
  return some.flatMap((ring) => cutAt180(ring.map(turned)));
}

/** Whether the place opposite of the middle of a round map is inside; remembered, since the middle seldom changes. */
function hasAntipode(outline: Outline, { latitude, longitude }: Position): boolean {
  const known = antipodes.get(outline);
  if (known?.latitude === latitude && known.longitude === longitude) return known.isInside;
  const antipode: FlatPoint = [longitude > 0 ? longitude - 180 : longitude + 180, -latitude];
  const isInside = isInsideRings(outline.cut, antipode);
  antipodes.set(outline, { latitude, longitude, isInside });
  return isInside;
}

const antipodes = new WeakMap<Outline, Position & { readonly isInside: boolean }>();

/** The longer side of the box around the largest ring, in pixels. */
function sizeOf(rings: readonly (readonly FlatPoint[])[], { locate }: Chart): number {
  const sizes = rings.map((ring) => {
    const { width, height } = boundsOf(ring.map(([longitude, latitude]) => locate({ latitude, longitude })));
    return Math.max(width, height);
  });
  return Math.max(0, ...sizes);
}

/** A `path` of dots for the worked entities, and one for the confirmed ones. */
function drawDots(entities: readonly MarkedEntity[], { locate }: Chart): string {
  return [false, true]
    .map((confirmed) => {
      const dots = entities.flatMap((entity) => {
        if (entity.confirmed !== confirmed) return [];
        const { x, y } = locate(entity);
        return `M${px(x)} ${px(y)}h0`;
      });
      return dots.length === 0
        ? ""
        : `<path class="dot ${confirmed ? "sure" : "seen"}" d="${dots.join("")}"/>`;
    })
    .join("");
}
