import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADIF_BANDS } from "../../src/bands/band-edges.js";
import { digitalRanges } from "../../src/bands/dial-frequencies.js";
import type { IaruRegion } from "../../src/bands/iaru-region.js";

describe("digitalRanges", () => {
  it("begin at the dial frequency and span 3 kHz", () => {
    expect(digitalRanges()).toContainEqual([14074, 14077]);
    expect(digitalRanges()).toContainEqual([7047.5, 7050.5]);
    for (const [from, to] of digitalRanges().slice(1)) expect(to).toBe(from + 3);
  });

  it("span only WSPR's own 200 Hz on 2190 m", () => {
    expect(digitalRanges().filter(([from]) => from < 400)).toEqual([[137.4, 137.6]]);
  });

  it("all lie within a band", () => {
    for (const [from, to] of digitalRanges()) {
      expect(ADIF_BANDS.filter(({ lower, upper }) => lower <= from && to <= upper)).toHaveLength(1);
    }
  });

  it("leave out the dial frequencies of other regions", () => {
    expect(regional([1])).toEqual([70154, 432174]);
    expect(regional([2])).toEqual([432065]);
    expect(regional([3])).toEqual([432065]);
    expect(regional([1, 2, 3])).toEqual([70154, 432065, 432174]);
  });

  it("are listed in docs/band-plan.md", () => {
    const page = readFileSync(new URL("../../../../docs/band-plan.md", import.meta.url), "utf8");
    const rows = page.split("\n").filter((line) => /^\| (FT8|FT4|WSPR|JS8) /.test(line));
    const listed = rows.flatMap((row) => (row.split("|")[2]?.match(/\d{3,}(\.\d)?/g) ?? []).map(Number));
    const dials = digitalRanges()
      .slice(1)
      .map(([from]) => from);
    expect(rows).toHaveLength(4);
    expect(listed.toSorted(ascending)).toEqual(dials.toSorted(ascending));
  });
});

function ascending(a: number, b: number): number {
  return a - b;
}

/** Which of the dial frequencies that depend on the region count in these regions. */
function regional(regions: readonly IaruRegion[]): number[] {
  const dials = new Set(digitalRanges(regions).map(([from]) => from));
  return [70154, 432065, 432174].filter((dial) => dials.has(dial));
}
