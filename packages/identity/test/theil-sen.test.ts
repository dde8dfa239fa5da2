import { describe, expect, it } from "vitest";

import { median, theilSen } from "./theil-sen.js";

describe("the slope of Theil and Sen", () => {
  it("has the value and the interval of Sen's example", () => {
    // Sen (1968), section 6: 4, and [3.71, 4.38] with a confidence of 93 %.
    const x = [1, 2, 3, 4, 10, 12, 18];
    const y = [9, 15, 19, 20, 45, 55, 78];
    const points = x.map((each, index) => ({ x: each, y: y[index] ?? 0 }));
    const { slope, low, high } = theilSen(points, 1.8119);
    expect(slope).toBe(4);
    expect([low, high].map((each) => each.toFixed(2))).toEqual(["3.71", "4.38"]);
  });

  it("is not moved by an outlier", () => {
    const points = Array.from({ length: 21 }, (_, x) => ({ x, y: x === 10 ? 1000 : 2 * x }));
    expect(theilSen(points).slope).toBe(2);
  });

  it("contains zero for noise, and not for growth within the same noise", () => {
    // Up and down by 1, as a heap between collections.
    const noise = (x: number) => [0, 1, -1, 0.5, -0.5][x % 5] ?? 0;
    const minutes = Array.from({ length: 30 }, (_, x) => x);
    const level = theilSen(minutes.map((x) => ({ x: x / 60, y: 90 + noise(x) })));
    expect(level.low).toBeLessThanOrEqual(0);
    expect(level.high).toBeGreaterThanOrEqual(0);
    const leak = theilSen(minutes.map((x) => ({ x: x / 60, y: 90 + noise(x) + (10 * x) / 60 })));
    expect(leak.low).toBeGreaterThan(0);
  });
});

it.each([
  [[3, 1, 2], 2],
  [[4, 1, 2, 3], 2.5],
  [[], Number.NaN],
])("the median of %j is %j", (values, expected) => {
  expect(median(values)).toBe(expected);
});
