import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexStretches, searchStretches } from "../../src/bands/stretch-index.js";

const THREE = indexStretches([
  { start: 100, answer: "a" },
  { start: 200, answer: undefined },
  { start: 200.5, answer: "b" },
  { start: 4e15, answer: undefined },
]);

describe("searchStretches", () => {
  it.each([
    [100, "a"],
    [199.999, "a"],
    [200, undefined],
    [200.5, "b"],
    [3.9e15, "b"],
  ])("finds the stretch of %d", (value, answer) => {
    expect(searchStretches(THREE, value)).toBe(answer);
  });

  it.each([99.999, 0, -0, -100, -Infinity, 4e15, 1e300, Infinity, NaN])(
    "finds nothing outside all stretches: %d",
    (value) => {
      expect(searchStretches(THREE, value)).toBeUndefined();
    },
  );

  it("finds what a search from the first stretch on finds", () => {
    const start = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 1, max: 1e16, noNaN: true }));
    const list = fc.uniqueArray(start, { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(list, fc.double({ min: 0, max: 2e16, noNaN: true }), (unsorted, anywhere) => {
        const starts = unsorted.toSorted((a, b) => a - b);
        const stretches = starts.map((begin, number) => ({
          start: begin,
          answer: number < starts.length - 1 ? number : undefined,
        }));
        const index = indexStretches(stretches);
        for (const value of [...starts, ...starts.map((begin) => begin * (1 - 2 ** -53)), anywhere]) {
          const expected = stretches.findLast((stretch) => stretch.start <= value)?.answer;
          expect(searchStretches(index, value)).toBe(expected);
        }
      }),
    );
  });
});
