/** Numbers the locator squares of 2° by 1°, row by row from the south pole. */
import { positionToLocator } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";

/** The number of a square: 0 to 32,399. */
export type SquareIndex = number;

const COLUMNS = 180;

export function squareAt({ latitude, longitude }: Position): SquareIndex {
  const column = Math.floor((longitude + 180) / 2) % COLUMNS;
  return Math.min(Math.floor(latitude + 90), 179) * COLUMNS + column;
}

/** The southwestern corner of a square. */
export function cornerOf(square: SquareIndex): Position {
  return { latitude: Math.floor(square / COLUMNS) - 90, longitude: (square % COLUMNS) * 2 - 180 };
}

/** The locator of a square: four characters. */
export function locatorOf(square: SquareIndex): string {
  const { latitude, longitude } = cornerOf(square);
  return positionToLocator({ latitude: latitude + 0.5, longitude: longitude + 1 }, 4);
}

/** A row of adjacent squares. */
export interface SquareRun {
  readonly first: SquareIndex;
  readonly count: number;
}

/** Adjacent squares of a row as one, so that they need one outline. */
export function runsOf(squares: Iterable<SquareIndex>): SquareRun[] {
  const runs: { first: SquareIndex; count: number }[] = [];
  for (const square of Array.from(squares).sort((a, b) => a - b)) {
    const last = runs.at(-1);
    const isNext = last !== undefined && square === last.first + last.count && square % COLUMNS !== 0;
    if (isNext) last.count++;
    else runs.push({ first: square, count: 1 });
  }
  return runs;
}
