/** Draws the marks and labels of the stations. */
import type { Chart } from "../drawing/projection.js";
import type { MapRequest, Station } from "../map-options.js";
import { boxAround, contains, px, type Box, type Drawing, type Point, overlap } from "../drawing/shape.js";
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

// Places the labels of stations: next to their marks, without overlaps, off the path, within the frame.

/** A mark and the size of its label. */
export interface LabelRequest {
  readonly mark: Point;
  readonly width: number;
  readonly height: number;
}

/** The constraints of label placement. */
export interface LabelConstraints {
  /** Labels stay inside; three labels fit one above the other. */
  readonly frame: Box;
  /** All marks, with or without a label. */
  readonly marks: readonly Point[];
  /** Distance of a label from the center of a mark. */
  readonly gap: number;
  /** Densely spaced points of the path. */
  readonly path: readonly Point[];
  /** Boxes that should not be covered. */
  readonly obstacles: readonly Box[];
}

/** A label's box, and the end of the text that stays fixed if the font is wider or narrower than estimated. */
interface PlacedLabel {
  readonly box: Box;
  readonly anchor: "start" | "middle" | "end";
}

/** Positions around a mark in order of preference: text anchor, and row relative to that of the mark. */
const PLACES = [
  ["start", 0],
  ["end", 0],
  ["middle", -1],
  ["middle", 1],
  ["start", -1],
  ["start", 1],
  ["end", -1],
  ["end", 1],
  ["middle", -2],
  ["middle", 2],
  ["start", -2],
  ["start", 2],
  ["end", -2],
  ["end", 2],
] as const;

/** Costs of a position, in steps of preference. */
const COST = { perMark: 40, perObstacle: 12, perPathPoint: 2, perHeightMoved: 3 };

interface Candidate extends PlacedLabel {
  readonly cost: number;
}

/**
 * The best position of each label; for two labels, since all combinations are compared.
 *
 * Two labels never overlap: each has at least three rows to choose from, and the other label covers at most two of them.
 */
export function placeLabels(
  requests: readonly LabelRequest[],
  constraints: LabelConstraints,
): readonly PlacedLabel[] {
  let choices: (readonly Candidate[])[] = [[]];
  for (const request of requests) {
    const places = candidates(request, constraints);
    choices = choices.flatMap((choice) =>
      places.filter(isFreeOf(choice)).map((place) => choice.concat(place)),
    );
  }
  return cheapest(choices);
}

function isFreeOf(others: readonly Candidate[]) {
  return ({ box }: Candidate) => others.every((other) => !overlap(box, other.box));
}

function cheapest(choices: readonly (readonly Candidate[])[]): readonly Candidate[] {
  let best: readonly Candidate[] = [];
  let least = Infinity;
  for (const choice of choices) {
    const cost = choice.reduce((sum, label) => sum + label.cost, 0);
    if (cost < least) [best, least] = [choice, cost];
  }
  return best;
}

function candidates(request: LabelRequest, constraints: LabelConstraints): Candidate[] {
  return PLACES.map(([anchor, row], rank) => {
    const wanted = boxBeside(request, anchor, row, constraints.gap);
    const box = movedInto(constraints.frame, wanted);
    const moved = (Math.abs(box.x - wanted.x) + Math.abs(box.y - wanted.y)) / request.height;
    return { box, anchor, cost: rank + moved * COST.perHeightMoved + costOf(box, constraints) };
  });
}

function boxBeside(
  { mark, width, height }: LabelRequest,
  anchor: PlacedLabel["anchor"],
  row: number,
  gap: number,
): Box {
  if (anchor === "middle") {
    const y = row < 0 ? mark.y - gap + row * height : mark.y + gap + (row - 1) * height;
    return { x: mark.x - width / 2, y, width, height };
  }
  const x = anchor === "start" ? mark.x + gap : mark.x - gap - width;
  return { x, y: mark.y + (row - 0.5) * height, width, height };
}

function costOf(box: Box, { marks, gap, path, obstacles }: LabelConstraints): number {
  const covered = marks.filter((mark) => overlap(box, boxAround(mark, 2 * gap - 1, 2 * gap - 1)));
  const crossed = path.filter((point) => contains(box, point));
  const hidden = obstacles.filter((obstacle) => overlap(box, obstacle));
  return (
    covered.length * COST.perMark + crossed.length * COST.perPathPoint + hidden.length * COST.perObstacle
  );
}

function movedInto(frame: Box, box: Box): Box {
  return {
    ...box,
    x: Math.min(Math.max(box.x, frame.x), frame.x + frame.width - box.width),
    y: Math.min(Math.max(box.y, frame.y), frame.y + frame.height - box.height),
  };
}
