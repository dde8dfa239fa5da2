import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CALL, readStation } from "../../src/spots/line-fields.js";

describe("readStation", () => {
  it.each([
    ["DH1TW", { call: "DH1TW", skimmer: false }],
    ["dh1tw/p", { call: "DH1TW/P", skimmer: false }],
    ["W3LPL-#", { call: "W3LPL", skimmer: true }],
    ["KM3T-2-#", { call: "KM3T-2", skimmer: true }],
    ["VE3EY-@", { call: "VE3EY", skimmer: true }],
    ["", undefined],
    ["-#", undefined],
    ["-9", undefined],
    ["DH1TW#", undefined],
    ["DH1TW ", undefined],
    ["ſ1A", undefined],
  ])("reads %j", (field, expected) => {
    expect(readStation(field)).toEqual(expected);
  });

  it("takes the same texts for calls as the pattern does", () => {
    const pattern = new RegExp(`^${CALL}$`, "i");
    const unit = fc.constantFrom("A", "z", "0", "9", "/", "-", ".", ":", "@", "[", "`", "{", "Ā", "K");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 26 }), (text) => {
        fc.pre(!/-[@#]$/.test(text));
        expect(readStation(text) !== undefined).toBe(pattern.test(text));
      }),
      { numRuns: 2000 },
    );
  });
});
