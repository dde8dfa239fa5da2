/** Writes the data of an SVG `path` element, in tenths of a pixel and relative steps: half as long as with coordinates. */

/** The subset of the canvas API that d3 needs for lines. */
export interface PathText {
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
  /** Required by d3 for points, which are not drawn this way. */
  arc(): void;
  /** The path data. */
  read(): string;
}

/**
 * An empty path. Every point is rounded separately, so that rounding errors don't accumulate along a line; collinear
 * steps are merged.
 */
export function createPathText(): PathText {
  let text = "";
  let isLine = false;
  let column = 0;
  let row = 0;
  let columns = 0;
  let rows = 0;

  function write(): void {
    if (columns === 0 && rows === 0) return;
    const step = pair(columns, rows);
    text += isLine ? separated(step) : `l${step}`;
    isLine = true;
    columns = 0;
    rows = 0;
  }
  return {
    beginPath() {},
    arc() {},
    closePath() {
      write();
      text += "z";
      isLine = false;
    },
    moveTo(x, y) {
      write();
      column = Math.round(x * 10);
      row = Math.round(y * 10);
      text += `M${pair(column, row)}`;
      isLine = false;
    },
    lineTo(x, y) {
      const right = Math.round(x * 10) - column;
      const down = Math.round(y * 10) - row;
      const goesOn = right * rows === down * columns && right * columns + down * rows > 0;
      if (!goesOn) write();
      columns += right;
      rows += down;
      column += right;
      row += down;
    },
    read() {
      write();
      return text;
    },
  };
}

function pair(columns: number, rows: number): string {
  return tenths(columns) + separated(tenths(rows));
}

/** A number after another: a minus sign also separates. */
function separated(text: string): string {
  return text.startsWith("-") ? text : ` ${text}`;
}

/**
 * A tenth of an integer, without a zero before the point. Composed of integers: formatting fractions takes as long as the
 * rest of a map.
 */
function tenths(value: number): string {
  const size = Math.abs(value);
  const digit = size % 10;
  const whole = (size - digit) / 10;
  const sign = value < 0 ? "-" : "";
  if (digit === 0) return `${sign}${whole}`;
  return whole === 0 ? `${sign}.${digit}` : `${sign}${whole}.${digit}`;
}
