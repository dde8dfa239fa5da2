import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADIF_BANDS, bandEdges } from "../../src/bands/band-edges.js";
import { REGIONS } from "../../src/bands/iaru-region.js";
import { dataPath, hasGolden } from "../golden.js";

/** ADIF 3.1.6, Band enumeration, in MHz as it is printed there. */
const ADIF_MHZ = `
2190m .1357 .1378   630m .472 .479        560m .501 .504          160m 1.8 2.0          80m 3.5 4.0
60m 5.06 5.45       40m 7.0 7.3           30m 10.1 10.15          20m 14.0 14.35        17m 18.068 18.168
15m 21.0 21.45      12m 24.890 24.99      10m 28.0 29.7           8m 40 45              6m 50 54
5m 54.000001 69.9   4m 70 71              2m 144 148              1.25m 222 225         70cm 420 450
33cm 902 928        23cm 1240 1300        13cm 2300 2450          9cm 3300 3500         6cm 5650 5925
3cm 10000 10500     1.25cm 24000 24250    6mm 47000 47200         4mm 75500 81000       2.5mm 119980 123000
2mm 134000 149000   1mm 241000 250000     submm 300000 7500000`;

/** Upper ends of the ITU's ranges in kHz (Radio Regulations, article 2). */
const ITU_RANGES = [
  ["LF", 300],
  ["MF", 3_000],
  ["HF", 30_000],
  ["VHF", 300_000],
  ["UHF", 3_000_000],
  ["SHF", 30_000_000],
  ["EHF", 300_000_000],
  ["THF", Infinity],
] as const;

const bandsInKilohertz = ADIF_BANDS.map(({ adif, lower, upper }) => [adif, lower, upper]);

describe("the bands", () => {
  it("are the 33 of ADIF 3.1.6 with their edges", () => {
    const words = ADIF_MHZ.trim().split(/\s+/);
    const expected = words.flatMap((word, index) =>
      index % 3 === 0 ? [[word, kilohertz(words[index + 1]), kilohertz(words[index + 2])]] : [],
    );
    expect(expected).toHaveLength(33);
    expect(bandsInKilohertz).toEqual(expected);
  });

  it("ascend without overlap", () => {
    const edges = ADIF_BANDS.flatMap(({ lower, upper }) => [lower, upper]);
    expect(edges).toEqual(edges.toSorted((a, b) => a - b));
    expect(new Set(edges).size).toBe(66);
  });

  it("each have a length of their own, shorter from band to band", () => {
    const lengths: readonly number[] = ADIF_BANDS.map(({ band }) => band);
    expect(new Set(lengths).size).toBe(33);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
  });

  it("bear lengths that fit their frequencies within a quarter", () => {
    for (const { adif, band, lower, upper } of ADIF_BANDS) {
      if (adif === "submm") continue;
      expect.soft(band, adif).toBeGreaterThan((0.75 * 299_792.458) / upper);
      expect.soft(band, adif).toBeLessThan((1.25 * 299_792.458) / lower);
    }
  });

  it("lie in the ITU range that they name", () => {
    for (const { adif, itu, upper } of ADIF_BANDS) {
      expect.soft(itu, adif).toBe(ITU_RANGES.find(([, end]) => upper <= end)?.[0]);
    }
  });

  it.skipIf(!hasGolden)("are those of the ADIF table on file", () => {
    const [, ...lines] = readFileSync(dataPath("adif_bands.csv"), "utf8").trim().split("\n");
    const onFile = lines.map((line) => {
      const [adif, lower, upper] = line.split(",");
      return [adif, kilohertz(lower), kilohertz(upper)];
    });
    expect(bandsInKilohertz).toEqual(onFile);
  });
});

describe("the regions' allocations", () => {
  it("are ADIF's edges taken together", () => {
    for (const band of ADIF_BANDS) {
      const edges = REGIONS.flatMap((region) => bandEdges(band, region) ?? []);
      expect.soft([Math.min(...edges), Math.max(...edges)], band.adif).toEqual([band.lower, band.upper]);
    }
  });

  it.each([
    ["160m", [1810, 2000], [1800, 2000], [1800, 2000]],
    ["80m", [3500, 3800], [3500, 4000], [3500, 3900]],
    ["60m", [5060, 5450], [5060, 5450], [5060, 5450]],
    ["40m", [7000, 7200], [7000, 7300], [7000, 7200]],
    ["20m", [14000, 14350], [14000, 14350], [14000, 14350]],
    ["8m", [40000, 45000], undefined, undefined],
    ["6m", [50000, 54000], [50000, 54000], [50000, 54000]],
    ["5m", [54000.001, 69900], undefined, undefined],
    ["4m", [70000, 71000], undefined, undefined],
    ["2m", [144000, 146000], [144000, 148000], [144000, 148000]],
    ["1.25m", undefined, [222000, 225000], undefined],
    ["70cm", [430000, 440000], [420000, 450000], [430000, 450000]],
    ["33cm", undefined, [902000, 928000], undefined],
    ["6cm", [5650000, 5850000], [5650000, 5925000], [5650000, 5850000]],
  ])("differ or agree on %s as the regions' plans do", (name, ...expected) => {
    const band = ADIF_BANDS.find(({ adif }) => adif === name);
    expect(REGIONS.map((region) => band && bandEdges(band, region))).toEqual(expected);
  });
});

/** MHz as printed to kHz, without a binary fraction of a hertz. */
function kilohertz(megahertz: string | undefined): number {
  return Math.round(Number(megahertz) * 1e6) / 1e3;
}
