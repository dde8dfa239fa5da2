import { describe, expect, it } from "vitest";
import { REGIONS, requireRegion } from "../../src/bands/iaru-region.js";
import { ValueError } from "../../src/errors.js";

describe("requireRegion", () => {
  it.each(REGIONS)("accepts region %i", (region) => {
    expect(requireRegion(region)).toBe(region);
  });

  it.each([0, 4, 1.5, NaN, "1", "R1", null, {}, [1]])("rejects %s with a ValueError", (region) => {
    expect(() => requireRegion(region)).toThrow(ValueError);
    expect(() => requireRegion(region)).toThrow(/is not an IARU region: 1, 2 or 3/);
  });
});
