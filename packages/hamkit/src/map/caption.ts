/** Draws the caption below a map: each route with its length and heading, the legend, and the moment of day and night. */
import type { Chart } from "./drawing/projection.js";
import type { MapRequest, Station } from "./map-options.js";
import type { Route } from "./route.js";
import { px } from "./drawing/shape.js";
import { escapeText, shorten, textWidth } from "./svg-text.js";
import { mapMomentText, routeFigures, layerCounts, zonesText } from "./map-text.js";

/** A caption as SVG, and its height in pixels: 0 without a caption. */
export interface Caption {
  readonly svg: string;
  readonly height: number;
}

/** Sizes, in units. A sample shows the stroke of a route before its figures. */
const FONT_SIZE = 13;
const PITCH = 21;
const SIDE = 14;
const BOTTOM = 8;
const SAMPLE = 26;
const TEXT_AT = SIDE + SAMPLE + 9;
const SPACE = 14;

/** Maximum width of a name, in units. */
const MAX_NAME_WIDTH = 260;

/** Size of the sample of an area, in units. */
const SWATCH = { width: 16, height: 11 };

/** Estimated width of regular text relative to bold text. */
const REGULAR = 0.88;

interface Line {
  readonly legend?: readonly LegendItem[];
  readonly sample?: Route["kind"];
  readonly names?: string;
  readonly figures?: string;
  /** At the right end of the line. */
  readonly moment?: string;
}

export function drawCaption(request: MapRequest, routes: readonly Route[], chart: Chart): Caption {
  const lines = captionLines(request, routes, chart.width / chart.unit);
  if (lines.length === 0) return { svg: "", height: 0 };
  const svg = lines.map((line, index) =>
    drawLine(line, chart, chart.height + (index + 0.5) * PITCH * chart.unit),
  );
  return {
    svg: `<g class="caption">${svg.join("")}</g>`,
    height: (lines.length * PITCH + BOTTOM) * chart.unit,
  };
}

/** The lines, for a map width in units. A part that doesn't fit gets a separate line. */
function captionLines(request: MapRequest, routes: readonly Route[], width: number): Line[] {
  const { from, to, date } = request;
  const legend = legendLines(legendOf(request), width - 2 * SIDE);
  const [short, long] = routes;
  if (from === undefined || to === undefined || short === undefined) return withMoment(legend, date, width);

  const last = date === undefined ? [] : [{ moment: mapMomentText(date) }];
  const room = width - TEXT_AT - SIDE;
  const names = joinNames(from, to, room);
  const figures = routeFigures(short);
  const first = { sample: "short", names, figures } as const;
  const longLine =
    long === undefined ? [] : [{ sample: "long", names: "Long path", figures: routeFigures(long) } as const];

  const used = textWidth(names + figures, FONT_SIZE) + SPACE;
  if (used > room)
    return [{ sample: "short", names }, { figures }, ...longLine, ...withMoment(legend, date, width)];
  const [moment] = last;
  const besides = moment === undefined ? 0 : textWidth(moment.moment, FONT_SIZE) + 2 * SPACE;
  return used + besides <= room
    ? [{ ...first, ...moment }, ...longLine, ...legend]
    : [first, ...longLine, ...withMoment(legend, date, width)];
}

/** The moment on the last line of the legend, or below it where it does not fit. */
function withMoment(legend: readonly Line[], date: Date | undefined, width: number): Line[] {
  if (date === undefined) return [...legend];
  const moment = mapMomentText(date);
  const last = legend.at(-1);
  const used = (last?.legend ?? []).reduce((sum, item) => sum + itemWidth(item), 0);
  const fits = used + textWidth(moment, FONT_SIZE) <= width - 2 * SIDE;
  return last !== undefined && fits ? [...legend.slice(0, -1), { ...last, moment }] : [...legend, { moment }];
}

/** The items of the legend on as many lines as they need. */
function legendLines(items: readonly LegendItem[], room: number): Line[] {
  const lines: LegendItem[][] = [];
  let used = 0;
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || used + itemWidth(item) > room) {
      lines.push([item]);
      used = 0;
    } else last.push(item);
    used += itemWidth(item);
  }
  return lines.map((legend) => ({ legend }));
}

/** Width of an item with the space after it, in units. */
function itemWidth({ text }: LegendItem): number {
  return SWATCH.width + 7 + REGULAR * textWidth(text, FONT_SIZE) + 1.5 * SPACE;
}

/** "JN48QM → FN31PR", each truncated to half of the width. */
function joinNames(from: Station, to: Station, room: number): string {
  const arrow = " → ";
  const half = Math.min((room - textWidth(arrow, FONT_SIZE)) / 2, MAX_NAME_WIDTH);
  return shorten(from.name, half, FONT_SIZE) + arrow + shorten(to.name, half, FONT_SIZE);
}

function drawLine({ legend = [], ...line }: Line, { width, unit }: Chart, middle: number): string {
  const { sample, names, figures, moment } = line;
  const y = px(middle + 0.35 * FONT_SIZE * unit);
  const parts = drawLegend(legend, middle, unit);
  if (sample !== undefined) {
    const stroke = `M${px(SIDE * unit)} ${px(middle)}h${px(SAMPLE * unit)}`;
    parts.push(`<path class="route ${sample}" d="${stroke}"/>`);
  }
  if (names !== undefined || figures !== undefined) {
    const bold = names === undefined ? "" : `<tspan class="names">${escapeText(names)}</tspan>`;
    const space = names === undefined ? "" : ` dx="${px(SPACE * unit)}"`;
    const plain = figures === undefined ? "" : `<tspan${space}>${figures}</tspan>`;
    parts.push(`<text x="${px(TEXT_AT * unit)}" y="${y}">${bold}${plain}</text>`);
  }
  if (moment !== undefined)
    parts.push(`<text class="moment" x="${px(width - SIDE * unit)}" y="${y}">${moment}</text>`);
  return parts.join("");
}

/** The items of one line of the legend: a sample and a text each. */
function drawLegend(items: readonly LegendItem[], middle: number, unit: number): string[] {
  let left = SIDE;
  return items.map((item) => {
    const { form, kinds, text } = item;
    const at = left;
    left += itemWidth(item);
    // In the middle of a row of pixels: between two rows a thin line is two pale ones.
    const stroke = `M${px(at * unit)} ${px(Math.floor(middle) + 0.5)}h${px(SWATCH.width * unit)}`;
    const area = (kind: string, share = 1) =>
      `<rect class="${kind}" x="${px((at + (1 - share) * SWATCH.width) * unit)}" y="${px(middle - (SWATCH.height / 2) * unit)}" ` +
      `width="${px(share * SWATCH.width * unit)}" height="${px(SWATCH.height * unit)}"/>`;
    const samples = kinds.map((kind, index) =>
      form === "line"
        ? `<path class="${kind}" d="${stroke}"/>`
        : area(kind, form === "area" ? 1 - index / kinds.length : 1),
    );
    if (form === "shade") samples.unshift(area("sea"), area("land", 0.5));
    if (form === "shade") samples.push(area("edge"));
    const x = px((at + SWATCH.width + 7) * unit);
    return `${samples.join("")}<text x="${x}" y="${px(middle + 0.35 * FONT_SIZE * unit)}">${text}</text>`;
  });
}

/** A sample and its meaning. */
interface LegendItem {
  readonly form: "area" | "line" | "shade";
  /** Classes of the sample's shapes: of areas side by side, of shades on each other, on sea and land. */
  readonly kinds: readonly string[];
  readonly text: string;
}

/** The items of the layers that a map has. */
function legendOf(request: MapRequest): LegendItem[] {
  const { date, twilight, zones } = request;
  const { confirmed, worked, lines } = layerCounts(request);
  const items: LegendItem[] = [];
  if (confirmed !== undefined) items.push(areaItem(request, "confirmed", confirmed));
  if (worked !== undefined) items.push(areaItem(request, "worked", worked));
  if (lines !== undefined) items.push({ form: "line", kinds: ["ray many"], text: lines });
  if (zones !== undefined) items.push({ form: "line", kinds: ["border sample"], text: zonesText(zones) });
  return date === undefined ? items : [...items, ...NIGHT[twilight]];
}

const NIGHT: Readonly<Record<MapRequest["twilight"], readonly LegendItem[]>> = {
  none: [{ form: "shade", kinds: ["night all"], text: "Night" }],
  civil: [
    { form: "shade", kinds: ["night twilit"], text: "Civil twilight" },
    { form: "shade", kinds: ["night twilit", "night dark"], text: "Night" },
  ],
};

/** The colors of squares and entities, of those that the map has. */
function areaItem(
  { squares, entities }: MapRequest,
  kind: "worked" | "confirmed",
  counts: string,
): LegendItem {
  const isConfirmed = kind === "confirmed";
  const kinds: string[] = [];
  if (Array.from(squares.values()).includes(isConfirmed)) kinds.push(`square ${kind}`);
  if (entities.some(({ confirmed }) => confirmed === isConfirmed)) kinds.push(`area ${kind}`);
  return { form: "area", kinds, text: `${counts} ${kind}` };
}
