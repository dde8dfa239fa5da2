import { describe, expect, it } from "vitest";
import { buildTable, searchTable, type BandMode, type BandTable } from "../../src/bands/band-search.js";
import { REGIONS, type IaruRegion } from "../../src/bands/iaru-region.js";

type Mode = BandMode | null;

const ALL = buildTable();
const BY_REGION: Record<IaruRegion, BandTable> = { 1: buildTable(1), 2: buildTable(2), 3: buildTable(3) };
const TABLES = [undefined, ...REGIONS].map((region) => ({ region, table: tableOf(region) }));

describe.each(TABLES)("the table of region $region", ({ table }) => {
  const { starts, values } = table.results;

  it("has ascending intervals that differ from their predecessor at each start", () => {
    for (let index = 1; index < starts.length; index++) {
      expect(starts[index]).toBeGreaterThan(starts[index - 1] ?? Infinity);
      expect(values[index]).not.toEqual(values[index - 1]);
    }
  });

  it("values every band from its lower to its upper edge without a gap, and nothing beside it", () => {
    for (const { adif, lower, upper } of table.bands) {
      const first = starts.indexOf(Math.round(lower * 1e6));
      const end = starts.indexOf(Math.round(upper * 1e6) + 1);
      expect.soft(first, adif).toBeGreaterThanOrEqual(0);
      expect.soft(new Set(values.slice(first, end).map((value) => value?.adif))).toEqual(new Set([adif]));
      expect.soft(values[end], `above ${adif}`).toBeUndefined();
    }
    expect(values.filter((value) => value === undefined)).toHaveLength(table.bands.length);
  });

  it("holds a frozen result for each interval", () => {
    for (const value of values) expect(Object.isFrozen(value ?? Object.freeze({}))).toBe(true);
    expect(Object.isFrozen(table.bands)).toBe(true);
    for (const band of table.bands) expect(Object.isFrozen(band)).toBe(true);
  });
});

describe("searchTable", () => {
  it("takes a frequency computed from MHz for the one that it stands for", () => {
    // In binary, 7.0386 MHz times 1000 is 7038.599999999999 kHz, below the dial frequency of WSPR.
    expect(7.0386 * 1000).toBeLessThan(7038.6);
    expect(searchTable(ALL, 7.0386 * 1000)?.mode).toBe("DIGITAL");
    expect(searchTable(ALL, 7038.599)?.mode).toBe("CW");
  });

  it("distinguishes 5 m, which begins 1 Hz above 54 MHz, from 6 m", () => {
    expect([54000, 54000.0005, 54000.001].map((freq) => searchTable(ALL, freq)?.adif)).toEqual([
      "6m",
      undefined,
      "5m",
    ]);
  });
});

/** Segments as the plans print them: the mode from each frequency on, up to the next. */
const DEFAULT_SEGMENTS: Record<string, readonly (readonly [from: number, mode: Mode])[]> = {
  "160 m": [
    [1800, "DIGITAL"],
    [1810, "CW"],
    [1836.6, "DIGITAL"],
    [1845.001, "LSB"],
  ],
  "80 m": [
    [3500, "CW"],
    [3568.6, "DIGITAL"],
    [3620, "LSB"],
  ],
  "60 m": [
    [5060, null],
    [5287.2, "DIGITAL"],
    [5290.201, null],
    [5351.5, "CW"],
    [5354, "USB"],
    [5357, "DIGITAL"],
    [5360.001, "USB"],
    [5364.7, "DIGITAL"],
    [5367.701, null],
  ],
  "40 m": [
    [7000, "CW"],
    [7038.6, "DIGITAL"],
    [7060, "LSB"],
    [7074, "DIGITAL"],
    [7077.001, "LSB"],
    [7078, "DIGITAL"],
    [7081.001, "LSB"],
  ],
  "30 m": [
    [10100, "CW"],
    [10130, "DIGITAL"],
  ],
  "20 m": [
    [14000, "CW"],
    [14070, "DIGITAL"],
    [14099, null],
    [14101, "DIGITAL"],
    [14112, "USB"],
  ],
  "17 m": [
    [18068, "CW"],
    [18095, "DIGITAL"],
    [18109, null],
    [18111, "DIGITAL"],
    [18120, "USB"],
  ],
  "15 m": [
    [21000, "CW"],
    [21070, "DIGITAL"],
    [21149, null],
    [21151, "USB"],
  ],
  "12 m": [
    [24890, "CW"],
    [24915, "DIGITAL"],
    [24929, null],
    [24931, "DIGITAL"],
    [24940, "USB"],
  ],
  "10 m": [
    [28000, "CW"],
    [28070, "DIGITAL"],
    [28190, null],
    [28300, "DIGITAL"],
    [28320, "USB"],
    [29200, "DIGITAL"],
    [29300, null],
  ],
  "6 m": [
    [50000, "CW"],
    [50100, "USB"],
    [50293, "DIGITAL"],
    [50296.001, "USB"],
    [50300, "DIGITAL"],
    [50500, "USB"],
  ],
  "4 m": [
    [70000, null],
    [70154, "DIGITAL"],
    [70157.001, null],
  ],
  "2 m": [
    [144000, "CW"],
    [144150, "USB"],
    [144170, "DIGITAL"],
    [144173.001, "USB"],
    [144174, "DIGITAL"],
    [144177.001, "USB"],
    [144400, null],
    [144489, "DIGITAL"],
    [144492.001, null],
    [144500, "USB"],
    [144794, "DIGITAL"],
    [144962.501, null],
  ],
  "70 cm": [
    [420000, null],
    [432000, "CW"],
    [432065, "DIGITAL"],
    [432068.001, "CW"],
    [432100, "USB"],
    [432174, "DIGITAL"],
    [432177.001, "USB"],
    [432400, null],
  ],
  "23 cm": [
    [1240000, null],
    [1296174, "DIGITAL"],
    [1296177.001, null],
  ],
};

describe("the mode without a region", () => {
  it.each(Object.entries(DEFAULT_SEGMENTS))(
    "follows the plans through %s, at each hertz of a change",
    (_, segments) => {
      let before: Mode | undefined; // below the first segment lies no band
      for (const [from, mode] of segments) {
        expect.soft(modeAt(from - 0.001), `below ${from}`).toBe(before);
        expect.soft(modeAt(from), `at ${from}`).toBe(mode);
        before = mode;
      }
    },
  );

  it("changes at those frequencies and nowhere else", () => {
    const known = Object.values(DEFAULT_SEGMENTS).flat();
    for (const { lower, upper } of ALL.bands) {
      const inBand = known.filter(([from]) => lower <= from && from <= upper);
      if (inBand.length === 0) continue;
      for (let step = 0; step <= 3_000; step++) {
        const freq = Math.round((lower + ((upper - lower) * step) / 3_000) * 1_000) / 1_000; // to the hertz
        const expected = inBand.findLast(([from]) => from <= freq)?.[1];
        expect.soft(modeAt(freq), String(freq)).toBe(expected);
      }
    }
  });

  it.each<[number, Mode, string]>([
    [7035, "CW", "region 1 has CW, region 3 phone"],
    [50400, "DIGITAL", "region 1 has digital modes, regions 2 and 3 phone"],
    [28250, null, "region 1 has beacons, regions 2 and 3 phone"],
    [1805, "DIGITAL", "region 1 has no such frequency, region 2 digital modes, region 3 CW"],
    [3850, "LSB", "region 1 has no such frequency"],
    [7250, "LSB", "only region 2 has such a frequency"],
  ])("at %d kHz is %s by the first region that has a segment: %s", (freq, mode) => {
    expect(modeAt(freq)).toBe(mode);
  });
});

describe("the mode by region", () => {
  it.each<[number, Mode | undefined, Mode | undefined, Mode | undefined]>([
    [137, "CW", "CW", "CW"],
    [137.5, "DIGITAL", "DIGITAL", "DIGITAL"],
    [473, "CW", "CW", "CW"],
    [478, "DIGITAL", "CW", "CW"],
    [1809, undefined, "DIGITAL", "CW"],
    [1835, "CW", "CW", "CW"],
    [1850, "LSB", "LSB", "LSB"],
    [3550, "CW", "CW", "LSB"],
    [3590, "DIGITAL", "DIGITAL", "LSB"],
    [3574, "DIGITAL", "DIGITAL", "DIGITAL"],
    [3622, "LSB", "DIGITAL", "LSB"],
    [3850, undefined, "LSB", "LSB"],
    [3950, undefined, "LSB", undefined],
    [5353, "CW", "CW", "CW"],
    [5362, "USB", "USB", "USB"],
    [5400, null, null, null],
    [7035, "CW", "CW", "LSB"],
    [7045, "DIGITAL", "DIGITAL", "LSB"],
    [7250, undefined, "LSB", undefined],
    [10120, "CW", "CW", "CW"],
    [10145, "DIGITAL", "DIGITAL", "DIGITAL"],
    [14100, null, null, null],
    [18109.5, null, null, "DIGITAL"],
    [18110.5, null, null, null],
    [21115, "DIGITAL", "DIGITAL", "DIGITAL"],
    [21150, null, null, null],
    [24930, null, null, null],
    [28200, null, null, null],
    [28250, null, "USB", "USB"],
    [28310, "DIGITAL", "DIGITAL", "USB"],
    [29100, "USB", "USB", "USB"],
    [29250, "DIGITAL", "DIGITAL", "USB"],
    [29400, null, null, null],
    [29515, null, null, null],
    [29600, null, null, null],
    [50050, "CW", "CW", "CW"],
    [50200, "USB", "USB", "USB"],
    [50400, "DIGITAL", "USB", "USB"],
    [51500, "USB", "USB", null],
    [53000, "USB", "USB", null],
    [70155, "DIGITAL", undefined, undefined],
    [70200, null, undefined, undefined],
    [144050, "CW", null, null],
    [144125, "CW", null, null],
    [144300, "USB", null, null],
    [144175, "DIGITAL", "DIGITAL", "DIGITAL"],
    [145500, null, null, null],
    [147000, undefined, null, null],
    [222100, undefined, null, undefined],
    [425000, undefined, null, undefined],
    [432066, "CW", "DIGITAL", "DIGITAL"],
    [432175, "DIGITAL", null, null],
    [432200, "USB", null, null],
    [445000, undefined, null, null],
    [903100, undefined, null, undefined],
    [5900000, undefined, null, undefined],
  ])("at %d kHz is %s in region 1, %s in region 2, %s in region 3", (freq, ...modes) => {
    expect(REGIONS.map((region) => modeAt(freq, region))).toEqual(modes);
  });

  it("is upper sideband for phone on 60 m and lower sideband on every other band below 10 MHz", () => {
    const phone = [1900, 3700, 5355, 7150, 14200, 18150, 21300, 24960, 28500];
    for (const region of REGIONS) {
      const modes = phone.map((freq) => modeAt(freq, region));
      expect(modes).toEqual("LSB LSB USB LSB USB USB USB USB USB".split(" "));
    }
  });
});

describe("digital dial frequencies", () => {
  const DIALS = `
    474.2 1836.6 1840 1842 3568.6 3573 3575 3578 3592.6 5287.2 5357 5364.7 7038.6 7047.5 7074 7078 10130 10136 10138.7
    10140 14074 14078 14080 14095.6 18100 18104 18104.6 21074 21078 21094.6 21140 24915 24919 24922 24924.6 28074 28078
    28124.6 28180 50293 50313 50318 50323 144170 144174 144489 1296174`;

  it.each([undefined, ...REGIONS])(
    "are digital with their 3 kHz, both ends included, in region %s",
    (region) => {
      for (const dial of DIALS.trim().split(/\s+/).map(Number)) {
        const modes = [0, 0.4, 1.5, 2.999, 3].map((offset) => modeAt(dial + offset, region));
        expect.soft(modes, String(dial)).toEqual(Array.from({ length: 5 }, () => "DIGITAL"));
      }
    },
  );

  it("leave CW and phone on either side alone", () => {
    expect([7073.999, 7077.001, 3568.599, 50312.999].map((freq) => modeAt(freq, 3))).toEqual(
      "LSB LSB LSB USB".split(" "),
    );
  });
});

function tableOf(region?: IaruRegion): BandTable {
  return region === undefined ? ALL : BY_REGION[region];
}

/** The mode at a frequency in kHz; `undefined` outside the bands. */
function modeAt(freq: number, region?: IaruRegion): Mode | undefined {
  return searchTable(tableOf(region), freq)?.mode;
}
