/** The slope of measured points that may contain outliers, and how sure it is. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  /** The median of the slopes of all pairs of points. */
  readonly slope: number;
  /** The confidence interval. */
  readonly low: number;
  readonly high: number;
}

/** Of the normal distribution, for a confidence of 99 % on both sides. */
export const Z_99 = 2.5758;

/**
 * The estimator of Theil and Sen, with Sen's confidence interval.
 *
 * @param points Two at least, with different x.
 * @param z Quantile of the normal distribution, for the interval's confidence.
 * @see P. K. Sen, "Estimates of the regression coefficient based on Kendall's tau", J. Am. Stat. Assoc. 63 (1968), pp. 1379-1389.
 */
export function theilSen(points: readonly Point[], z = Z_99): Slope {
  const slopes = points
    .flatMap(({ x, y }, index) => points.slice(index + 1).map((other) => (other.y - y) / (other.x - x)))
    .toSorted((one, other) => one - other);
  const count = points.length;
  const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const at = (rank: number) =>
    slopes[Math.min(Math.max(Math.round(rank), 0), slopes.length - 1)] ?? Number.NaN;
  return {
    slope: median(slopes),
    low: at((slopes.length - z * deviation) / 2 - 1),
    high: at((slopes.length + z * deviation) / 2),
  };
}

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
