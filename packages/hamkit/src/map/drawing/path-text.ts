/** Lines as the data of an SVG `path` element, in tenths of a pixel and as steps: half as long as whole coordinates. */

/** Where d3 draws to: the part of a canvas that lines need. */
export interface PathText {
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
  /** Points alone are marks of their own here, and never come this way. */
  arc(): void;
  /** What was drawn. */
  read(): string;
}

/**
 * An empty drawing. Every point is rounded by itself, so that errors of rounding don't add up along a line; steps that
 * go straight on are one.
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

/** A number behind another: a minus sign is separator enough. */
function separated(text: string): string {
  return text.startsWith("-") ? text : ` ${text}`;
}

/**
 * A tenth of a whole number, without a zero before the point. Put together from whole numbers: to write fractions takes
 * as long as all the rest of a map.
 */
function tenths(value: number): string {
  const size = Math.abs(value);
  const digit = size % 10;
  const whole = (size - digit) / 10;
  const sign = value < 0 ? "-" : "";
  if (digit === 0) return `${sign}${whole}`;
  return whole === 0 ? `${sign}.${digit}` : `${sign}${whole}.${digit}`;
}
