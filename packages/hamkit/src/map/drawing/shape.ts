/** Points and boxes of the drawing, in pixels from its upper left corner, and number formatting. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A part of the drawing, and its boxes that labels should not cover. */
export interface Drawing {
  readonly svg: string;
  readonly boxes: readonly Box[];
}

/** A number with at most one decimal place: a tenth of a pixel is not visible. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10 + 0); // + 0: no -0
}

/** The box of this size around a point. */
export function boxAround({ x, y }: Point, width: number, height: number): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

export function centerOf({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Whether two non-empty boxes share more than an edge, with a tolerance for rounding errors. */
export function overlap(a: Box, b: Box): boolean {
  return (
    a.x + a.width - b.x > EPSILON &&
    b.x + b.width - a.x > EPSILON &&
    a.y + a.height - b.y > EPSILON &&
    b.y + b.height - a.y > EPSILON
  );
}

const EPSILON = 1e-6;

/** The box around points. */
export function boundsOf(points: readonly Point[]): Box {
  const [left, right] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...points.map(({ y }) => y)), Math.max(...points.map(({ y }) => y))];
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export function contains(box: Box, { x, y }: Point): boolean {
  return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
}

/** Points along a line that are at most `step` apart; jumps of more than `gap`, to the other edge of a map, are left out. */
export function alongLine(line: readonly Point[], step: number, gap: number): Point[] {
  return line.flatMap((end, index) => {
    const start = line[index - 1] ?? end;
    const length = distanceBetween(start, end);
    const count = length > gap ? 1 : Math.max(1, Math.ceil(length / step));
    return Array.from({ length: count }, (_, part) => {
      const share = (part + 1) / count;
      return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
    });
  });
}

export function distanceBetween(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
