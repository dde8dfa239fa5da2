import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { editDistance } from "../../src/scp/search.js";
import { naiveDistance } from "./naive-distance.js";

describe("editDistance", () => {
  it.each([
    ["DL1ABC", "DL1ABC", 0],
    ["DL1ABC", "DL1ABD", 1], // replaced
    ["DL1ABC", "DL1ACB", 1], // swapped
    ["DL1ABC", "DL1AB", 1], // one less
    ["DL1ABC", "DL1AABC", 1], // one more
    ["DL1ABC", "LD1ACB", 2], // swapped twice
    ["CA", "ABC", 2], // swapped, then one put between: where simpler algorithms count 3
    ["DL1ABC", "DL1A", 2],
    ["", "K1", 2],
  ])("of %j and %j is %i", (a, b, distance) => {
    expect(editDistance(a, b, 2)).toBe(distance);
    expect(editDistance(b, a, 2)).toBe(distance);
  });

  it.each([1, 2] as const)("is what following every possible change finds, up to %i", (most) => {
    const text = fc.stringMatching(/^[AB1]{0,5}$/);
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.min(editDistance(a, b, most), most + 1)).toBe(naiveDistance(a, b, most));
      }),
      { numRuns: 1000 },
    );
  });
});
