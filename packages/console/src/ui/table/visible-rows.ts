/** Which rows of a long list are near the visible part: pure arithmetic for virtual rows. */

export interface RowWindow {
  /** The first row to draw, and the first behind it that isn't drawn. */
  readonly first: number;
  readonly end: number;
}

export interface Viewport {
  /** Pixels scrolled. */
  readonly top: number;
  /** Pixels visible. */
  readonly height: number;
}

/** Rows drawn before and behind the visible ones, so that fast scrolling shows no gap. */
const MARGIN = 12;

/** The rows to draw of `count` rows that are `rowHeight` pixels high each. */
export function visibleRows(count: number, rowHeight: number, { top, height }: Viewport): RowWindow {
  const first = Math.floor(top / rowHeight) - MARGIN;
  const end = Math.ceil((top + height) / rowHeight) + MARGIN;
  return { first: Math.min(Math.max(0, first), count), end: Math.max(0, Math.min(count, end)) };
}
