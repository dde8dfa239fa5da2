import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexIntervals, searchIntervals } from "../../src/bands/interval-index.js";

const THREE = indexIntervals([
  { start: 100, value: "a" },
  { start: 200, value: undefined },
  { start: 200.5, value: "b" },
  { start: 4e15, value: undefined },
]);

describe("searchIntervals", () => {
  it.each([
    [100, "a"],
    [199.999, "a"],
    [200, undefined],
    [200.5, "b"],
    [3.9e15, "b"],
  ])("finds the interval of %d", (number, expected) => {
    expect(searchIntervals(THREE, number)).toBe(expected);
  });

  it.each([99.999, 0, -0, -100, -Infinity, 4e15, 1e300, Infinity, NaN])(
    "finds nothing outside all intervals: %d",
    (value) => {
      expect(searchIntervals(THREE, value)).toBeUndefined();
    },
  );

  it("finds what a search from the first interval on finds", () => {
    const start = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 1, max: 1e16, noNaN: true }));
    const list = fc.uniqueArray(start, { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(list, fc.double({ min: 0, max: 2e16, noNaN: true }), (unsorted, anywhere) => {
        const starts = unsorted.toSorted((a, b) => a - b);
        const intervals = starts.map((begin, number) => ({
          start: begin,
          value: number < starts.length - 1 ? number : undefined,
        }));
        const index = indexIntervals(intervals);
        for (const value of [...starts, ...starts.map((begin) => begin * (1 - 2 ** -53)), anywhere]) {
          const expected = intervals.findLast((interval) => interval.start <= value)?.value;
          expect(searchIntervals(index, value)).toBe(expected);
        }
      }),
    );
  });
});
