/** Draws the marks and labels of the stations. */
import type { Chart } from "../drawing/chart.js";
import { placeLabels, type PlacedLabel } from "../drawing/label-placement.js";
import type { MapRequest, Station } from "../map-options.js";
import { boxAround, contains, px, type Box, type Drawing, type Point } from "../drawing/shape.js";
import { escapeText, shorten, textWidth } from "../svg-text.js";

/** Sizes, in units. */
const FONT_SIZE = 13;
const LINE_HEIGHT = 17;
const MARK_RADIUS = 5;
const GAP = 9;

/** Distance of labels from the edge of the drawing, and maximum share of its width for one label. */
const MARGIN = 3;
const MAX_LABEL_SHARE = 0.45;

/** The marks and labels; labels neither overlap each other nor leave the drawing. */
export function drawStations(
  { from, to }: MapRequest,
  onRoutes: readonly Point[],
  chart: Chart,
  obstacles: readonly Box[],
): Drawing {
  const { width, height, unit, locate } = chart;
  const onMap = { x: 0, y: 0, width, height };
  const stations = [from, to]
    .filter((station) => station !== undefined)
    .filter(({ position }) => contains(onMap, locate(position)));
  const marks = stations.map(({ position }) => locate(position));
  const labels = stations
    .filter((station, index) => station.label !== "" && !stations.slice(0, index).some(isSameAs(station)))
    .map(({ label, position }) => ({
      text: shorten(label, MAX_LABEL_SHARE * width, FONT_SIZE * unit),
      mark: locate(position),
    }));
  const placed = placeLabels(
    labels.map(({ text, mark }) => ({
      mark,
      width: textWidth(text, FONT_SIZE * unit),
      height: LINE_HEIGHT * unit,
    })),
    {
      frame: { x: MARGIN, y: MARGIN, width: width - 2 * MARGIN, height: height - 2 * MARGIN },
      marks,
      gap: GAP * unit,
      path: onRoutes,
      obstacles,
    },
  );
  const texts = placed.map((label, index) => labelText(labels[index]?.text ?? "", label, unit));
  const size = 2 * MARK_RADIUS * unit;
  return {
    svg: [drawMark(to, "to", chart), drawMark(from, "from", chart), ...texts].join(""),
    boxes: [...placed.map(({ box }) => box), ...marks.map((mark) => boxAround(mark, size, size))],
  };
}

/** Whether two stations share position and label, which is then drawn once. */
function isSameAs({ label, position }: Station) {
  return (other: Station) =>
    other.label === label &&
    other.position.latitude === position.latitude &&
    other.position.longitude === position.longitude;
}

function drawMark(station: Station | undefined, role: "from" | "to", { locate, unit }: Chart): string {
  if (station === undefined) return "";
  const { x, y } = locate(station.position);
  return `<circle class="mark ${role}" cx="${px(x)}" cy="${px(y)}" r="${px(MARK_RADIUS * unit)}"/>`;
}

function labelText(text: string, { box, anchor }: PlacedLabel, unit: number): string {
  const part = { start: 0, middle: 0.5, end: 1 }[anchor];
  const end = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  const y = box.y + box.height / 2 + 0.35 * FONT_SIZE * unit;
  return `<text class="label" x="${px(box.x + part * box.width)}" y="${px(y)}"${end}>${escapeText(text)}</text>`;
}
