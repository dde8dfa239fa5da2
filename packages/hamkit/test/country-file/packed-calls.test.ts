import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createPackedCalls } from "../../src/country-file/country-file.js";

const call = fc.stringMatching(/^[A-Z0-9/-]{1,6}$/);

describe("PackedCalls", () => {
  it("finds the place of every call, and of no other", () => {
    fc.assert(
      fc.property(fc.uniqueArray(call, { maxLength: 60 }), call, (calls, other) => {
        const sorted = calls.toSorted((a, b) => (a < b ? -1 : 1));
        const packed = createPackedCalls(sorted.join(" "));
        expect(packed.size).toBe(sorted.length);
        for (const [place, one] of sorted.entries()) expect(packed.indexOf(one)).toBe(place);
        expect(packed.indexOf(other)).toBe(sorted.indexOf(other));
      }),
    );
  });

  it("takes no beginning of a call for it, and nothing longer", () => {
    const packed = createPackedCalls("DL1A DL1AB DL1ABC");
    expect(["DL1", "DL1A", "DL1AB", "DL1ABC", "DL1ABCD", ""].map((text) => packed.indexOf(text))).toEqual([
      -1, 0, 1, 2, -1, -1,
    ]);
  });

  it("has no calls of an empty text", () => {
    expect(createPackedCalls("").indexOf("DL1A")).toBe(-1);
  });
});
