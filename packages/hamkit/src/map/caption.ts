/** Draws the caption below a map: each route with its length and heading, and the moment of day and night. */
import type { Chart } from "./drawing/chart.js";
import type { MapRequest, Station } from "./map-options.js";
import type { Route } from "./route.js";
import { px } from "./drawing/shape.js";
import { escapeText, shorten, textWidth } from "./svg-text.js";
import { momentText, routeFigures } from "./map-text.js";

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

interface Line {
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
function captionLines({ from, to, date }: MapRequest, routes: readonly Route[], width: number): Line[] {
  const last = date === undefined ? [] : [{ moment: momentText(date) }];
  const [short, long] = routes;
  if (from === undefined || to === undefined || short === undefined) return last;

  const room = width - TEXT_AT - SIDE;
  const names = joinNames(from, to, room);
  const figures = routeFigures(short);
  const first = { sample: "short", names, figures } as const;
  const longLine =
    long === undefined ? [] : [{ sample: "long", names: "Long path", figures: routeFigures(long) } as const];

  const used = textWidth(names + figures, FONT_SIZE) + SPACE;
  if (used > room) return [{ sample: "short", names }, { figures }, ...longLine, ...last];
  const [moment] = last;
  const besides = moment === undefined ? 0 : textWidth(moment.moment, FONT_SIZE) + 2 * SPACE;
  return used + besides <= room ? [{ ...first, ...moment }, ...longLine] : [first, ...longLine, ...last];
}

/** "JN48QM → FN31PR", each truncated to half of the width. */
function joinNames(from: Station, to: Station, room: number): string {
  const arrow = " → ";
  const half = Math.min((room - textWidth(arrow, FONT_SIZE)) / 2, MAX_NAME_WIDTH);
  return shorten(from.name, half, FONT_SIZE) + arrow + shorten(to.name, half, FONT_SIZE);
}

function drawLine({ sample, names, figures, moment }: Line, { width, unit }: Chart, middle: number): string {
  const y = px(middle + 0.35 * FONT_SIZE * unit);
  const parts: string[] = [];
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
