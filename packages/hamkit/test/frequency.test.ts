import { describe, expect, it } from "vitest";
import * as frequency from "../src/frequency.js";
import { findBand, freqToBand, type BandMode } from "../src/frequency.js";
import { goldenRows, hasGolden } from "./golden.js";

/** What comes of a frequency: a mode, `null` for a band without one, or an error by its name. */
type Outcome = BandMode | null | "KeyError" | "TypeError";

/** A rule of docs/differences.md: where it holds, in kHz with both ends, what the peer and what hamkit answers. */
type Stretch = readonly [from: number, to: number, peer: Outcome, ours: Outcome];

const RULES: Record<string, { readonly rows: number; readonly stretches: readonly Stretch[] }> = {
  "seventeen-meters-end-at-18168": {
    rows: 17,
    stretches: [
      [18168.001, 18267.999, "USB", "KeyError"],
      [18268, 18268, null, "KeyError"],
    ],
  },
  "no-band-beyond-the-edges-of-adif": {
    rows: 65,
    stretches: [
      [135, 135.699, "CW", "KeyError"],
      [137.801, 138, "CW", "KeyError"],
      [5000, 5059.999, null, "KeyError"],
      [5450.001, 5500, null, "KeyError"],
      [220000, 221999.999, null, "KeyError"],
      [225000.001, 226000, null, "KeyError"],
      [450000.001, 470000, null, "KeyError"],
      [1200000, 1239999.999, null, "KeyError"],
    ],
  },
  "every-band-of-adif": {
    rows: 119,
    stretches: [
      [472, 474.199, "KeyError", "CW"], // 630 m
      [474.2, 479, "KeyError", "DIGITAL"],
      [501, 504, "KeyError", null], // 560 m
      [54000.001, 69900, "KeyError", null], // 5 m
      [2300000, 2389999.999, "KeyError", null], // 13 cm
      [5850000.001, 5925000, "KeyError", null], // 6 cm
      [24050000.001, 24250000, "KeyError", null], // 1.25 cm
      [75500000, 7500000000, "KeyError", null], // 4 mm to submm
    ],
  },
  "upper-edges-have-a-mode": {
    rows: 7,
    stretches: [
      [2000, 2000, null, "LSB"],
      [4000, 4000, null, "LSB"],
      [7300, 7300, null, "LSB"],
      [10150, 10150, null, "DIGITAL"],
      [14350, 14350, null, "USB"],
      [21450, 21450, null, "USB"],
      [24990, 24990, null, "USB"],
    ],
  },
  "digital-dial-frequencies-have-3-khz": {
    rows: 25,
    stretches: [
      [137.4, 137.6, "CW", "DIGITAL"],
      [1836.6, 1837.999, "CW", "DIGITAL"],
      [3568.6, 3569.999, "CW", "DIGITAL"],
      [5357, 5360, null, "DIGITAL"],
      [7038.6, 7039.999, "CW", "DIGITAL"],
      [7074.001, 7081, "LSB", "DIGITAL"],
      [144170, 144173.999, "USB", "DIGITAL"],
      [144175, 144175, null, "DIGITAL"],
      [144175.001, 144177, "USB", "DIGITAL"],
    ],
  },
  "segments-of-digital-modes": {
    rows: 112,
    stretches: [
      [1840.001, 1843, "LSB", "DIGITAL"],
      [3570, 3579.999, "CW", "DIGITAL"],
      [3600, 3619.999, "LSB", "DIGITAL"],
      [7050, 7059.999, "LSB", "DIGITAL"],
      [10130, 10139.999, "CW", "DIGITAL"],
      [14101, 14111.999, "USB", "DIGITAL"],
      [18111, 18119.999, "USB", "DIGITAL"],
      [24931, 24939.999, "USB", "DIGITAL"],
      [28300, 28319.999, "USB", "DIGITAL"],
      [29200, 29299.999, "USB", "DIGITAL"],
      [50300, 50499.999, "USB", "DIGITAL"],
      [144794, 144962.5, null, "DIGITAL"],
    ],
  },
  "region-2-plans-1800-to-1810": { rows: 7, stretches: [[1800, 1809.999, "CW", "DIGITAL"]] },
  "beacons-have-no-mode": {
    rows: 29,
    stretches: [
      [14100, 14100.999, "USB", null],
      [18109, 18109.999, "DIGITAL", null],
      [18110, 18110.999, "USB", null],
      [21149, 21149.999, "DIGITAL", null],
      [21150, 21150.999, "USB", null],
      [24929, 24929.999, "DIGITAL", null],
      [24930, 24930.999, "USB", null],
    ],
  },
  "satellites-and-fm-have-no-mode": { rows: 24, stretches: [[29300, 29699.999, "USB", null]] },
  "sixty-meters-have-a-plan": {
    rows: 2,
    stretches: [
      [5351.5, 5353.999, null, "CW"],
      [5366, 5366.5, null, "DIGITAL"],
    ],
  },
  "all-modes-on-six-and-two-meters": {
    rows: 58,
    stretches: [
      [50500, 50999.999, "DIGITAL", "USB"],
      [51000, 54000, null, "USB"],
      [144500, 144793.999, null, "USB"],
    ],
  },
  "no-number-is-a-key-error": { rows: 3, stretches: [[NaN, NaN, "TypeError", "KeyError"]] },
};

describe("hamkit/frequency", () => {
  it("offers these names and no others", () => {
    expect(Object.keys(frequency).toSorted()).toEqual(["findBand", "freqToBand", "listBands"]);
  });
});

describe("corrected defects of the peer", () => {
  it("17 m ends at 18168 kHz, not at 18268", () => {
    expect(freqToBand(18168).adif).toBe("17m");
    expect(() => freqToBand(18168.001)).toThrow("the nearest is 17m, 18068-18168 kHz");
    expect(findBand(18268)).toBeUndefined();
  });

  it("630 m, 560 m, 8 m, 5 m and all bands above 6 mm exist", () => {
    const freqs = [475, 502, 40_680, 60_000, 77e6, 122e6, 135e6, 245e6, 400e6];
    expect(freqs.map((freq) => freqToBand(freq).adif)).toEqual(
      "630m 560m 8m 5m 4mm 2.5mm 2mm 1mm submm".split(" "),
    );
  });

  it("13 cm begins at 2300 MHz, not at 2390, and 1.25 cm ends at 24250 MHz, not at 24050", () => {
    expect([2_300_000, 2_304_100, 2_320_000].map((freq) => freqToBand(freq).band)).toEqual([
      0.13, 0.13, 0.13,
    ]);
    expect([24_192_100, 24_250_000].map((freq) => freqToBand(freq).band)).toEqual([0.0125, 0.0125]);
  });

  it("no upper edge is without a mode", () => {
    const modes = [2000, 4000, 7300, 10150, 14350, 18168, 21450, 24990].map((freq) => freqToBand(freq).mode);
    expect(modes).not.toContain(null);
  });

  it("the beacon segment ends at 14101 kHz, and the mode above is digital", () => {
    expect([14099, 14100, 14100.9, 14101].map((freq) => freqToBand(freq).mode)).toEqual([
      null,
      null,
      null,
      "DIGITAL",
    ]);
  });

  it("60 m has modes: CW, USB and digital", () => {
    expect([5352, 5355, 5358, 5366.2].map((freq) => freqToBand(freq).mode)).toEqual(
      "CW USB DIGITAL DIGITAL".split(" "),
    );
  });

  it("FT8 is known off the exact kilohertz: 3573.4, 7074.5, 10136.5, 50313.5 and 144175", () => {
    const modes = [1840.7, 3573.4, 7074.5, 10136.5, 50313.5, 144175].map((freq) => freqToBand(freq).mode);
    expect(new Set(modes)).toEqual(new Set(["DIGITAL"]));
  });
});

interface Row {
  readonly freq: number | string | null | readonly unknown[] | { readonly $float: "nan" | "inf" };
  readonly out:
    | { readonly ok: { readonly band: number; readonly mode: BandMode | null } }
    | { readonly err: string };
}

describe.skipIf(!hasGolden)("against the peer's 3,739 recorded answers", () => {
  const differences = new Map<string, string[]>();
  let rows = 0;
  let equal = 0;
  for (const row of hasGolden ? goldenRows<Row>("bands") : []) {
    rows++;
    const freq = decode(row.freq);
    const [peerBand, peer] = "ok" in row.out ? [row.out.ok.band, row.out.ok.mode] : [undefined, row.out.err];
    const [ourBand, ours] = outcomeOf(freq);
    if (peerBand === ourBand && peer === ours) {
      equal++;
      continue;
    }
    // Two answers for two different bands are explained by no rule.
    const sameBand = peerBand === undefined || ourBand === undefined || peerBand === ourBand;
    const names = sameBand ? rulesFor(freq, peer, ours) : [];
    const name =
      names.length === 1 ? names.join() : `${JSON.stringify(row)}: ${names.join(" and ") || "no rule"}`;
    differences.set(name, [...(differences.get(name) ?? []), String(freq)]);
  }

  it("agrees with 3,271 of them", () => {
    expect([rows, equal]).toEqual([3739, 3271]);
  });

  it("differs by one named rule each, as often as docs/differences.md states", () => {
    const counts = [...differences].map(([name, freqs]) => [name, freqs.length]);
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, rule.rows])),
    );
  });
});

/** The band and the outcome of hamkit. */
function outcomeOf(freq: unknown): [band: number | undefined, outcome: string | null] {
  try {
    const { band, mode } = freqToBand(freq as number);
    return [band, mode];
  } catch (error) {
    return [undefined, error instanceof Error ? error.name : "no error"];
  }
}

/** The rules that explain these outcomes at that frequency; NaN stands for what is no number. */
function rulesFor(freq: unknown, peer: string | null, ours: string | null): string[] {
  const at = typeof freq === "number" ? freq : NaN;
  return Object.entries(RULES)
    .filter(([, { stretches }]) =>
      stretches.some(([from, to, theirs, mine]) => {
        const within = Number.isNaN(from) ? Number.isNaN(at) : from <= at && at <= to;
        return within && theirs === peer && mine === ours;
      }),
    )
    .map(([name]) => name);
}

/** NaN and infinity are no JSON. */
function decode(freq: Row["freq"]): unknown {
  if (typeof freq !== "object" || freq === null || !("$float" in freq)) return freq;
  return freq.$float === "nan" ? NaN : Infinity;
}
