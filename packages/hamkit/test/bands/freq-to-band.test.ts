import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BandResult } from "../../src/bands/band-search.js";
import { findBand, freqToBand, listBands, type FreqToBandOptions } from "../../src/bands/freq-to-band.js";
import { REGIONS, type IaruRegion } from "../../src/bands/iaru-region.js";
import { FrequencyError, KeyError, ValueError } from "../../src/errors.js";

const CHOICES: readonly FreqToBandOptions[] = [{}, ...REGIONS.map((region) => ({ region }))];

describe("freqToBand", () => {
  it("returns band, ADIF name, ITU range and mode of 14005.3 kHz", () => {
    expect(freqToBand(14005.3)).toEqual({ band: 20, adif: "20m", itu: "HF", mode: "CW" });
  });

  it.each([
    [137, 2190, "2190m", "LF", "CW"],
    [472.5, 630, "630m", "MF", "CW"],
    [502, 560, "560m", "MF", null],
    [40_680, 8, "8m", "VHF", null],
    [60_000, 5, "5m", "VHF", null],
    [222_100, 1.25, "1.25m", "VHF", null],
    [446_000, 0.7, "70cm", "UHF", null],
    [903_100, 0.33, "33cm", "UHF", null],
    [1_296_830, 0.23, "23cm", "UHF", null],
    [2_304_100, 0.13, "13cm", "UHF", null],
    [2_320_200, 0.13, "13cm", "UHF", null],
    [3_400_100, 0.09, "9cm", "SHF", null],
    [5_760_100, 0.053, "6cm", "SHF", null],
    [10_368_100, 0.03, "3cm", "SHF", null],
    [24_048_830, 0.0125, "1.25cm", "SHF", null],
    [24_192_100, 0.0125, "1.25cm", "SHF", null],
    [47_088_000, 0.0063, "6mm", "EHF", null],
    [76_032_000, 0.004, "4mm", "EHF", null],
    [122_250_000, 0.0025, "2.5mm", "EHF", null],
    [134_928_000, 0.002, "2mm", "EHF", null],
    [241_000_000, 0.001, "1mm", "EHF", null],
    [300_000_000, 0.0005, "submm", "THF", null],
    [7_500_000_000, 0.0005, "submm", "THF", null],
  ])("assigns %d kHz to %d m", (freq, band, adif, itu, mode) => {
    expect(freqToBand(freq)).toEqual({ band, adif, itu, mode });
  });

  it("includes both edges of every band, in every region, and not 1 Hz beyond", () => {
    for (const options of CHOICES) {
      const bands = listBands(options);
      for (const { adif, band, itu, lower, upper } of bands) {
        expect.soft(freqToBand(lower, options)).toMatchObject({ adif, band, itu });
        expect.soft(freqToBand(upper, options)).toMatchObject({ adif, band, itu });
        expect.soft(findBand(lower - 0.001, options)?.adif, adif).toBe(adif === "5m" ? "6m" : undefined);
        const above = adif === "6m" && bands.some((other) => other.adif === "5m") ? "5m" : undefined;
        expect.soft(findBand(upper + 0.001, options)?.adif, adif).toBe(above);
      }
    }
  });

  it("gives a band's upper edge the mode of its last segment", () => {
    const upperEdges = [2000, 4000, 7300, 10150, 14350, 18168, 21450, 24990];
    expect(upperEdges.map((freq) => freqToBand(freq).mode)).toEqual(
      "LSB LSB LSB DIGITAL USB USB USB USB".split(" "),
    );
    expect(freqToBand(7200, { region: 1 }).mode).toBe("LSB");
    expect(freqToBand(479, { region: 1 }).mode).toBe("DIGITAL");
  });

  it("returns a result for every frequency of a fine sweep through every band", () => {
    for (const options of CHOICES) {
      for (const { adif, lower, upper } of listBands(options)) {
        const step = (upper - lower) / 5_000;
        const missed = Array.from({ length: 5_000 }, (_, index) => lower + index * step).filter(
          (freq) => findBand(freq, options)?.adif !== adif,
        );
        expect.soft(missed, adif).toEqual([]);
      }
    }
  });
});

describe("a frequency outside the bands", () => {
  it.each<[number, FreqToBandOptions, string]>([
    [14351, {}, "14351 kHz is outside the amateur bands; the nearest is 20m, 14000-14350 kHz"],
    [
      7250,
      { region: 1 },
      "7250 kHz is outside the amateur bands of IARU region 1; the nearest is 40m, 7000-7200 kHz",
    ],
    [
      3950,
      { region: 3 },
      "3950 kHz is outside the amateur bands of IARU region 3; the nearest is 80m, 3500-3900 kHz",
    ],
    [0, {}, "0 kHz is outside the amateur bands; the nearest is 2190m, 135.7-137.8 kHz"],
    [-5, {}, "-5 kHz is outside the amateur bands; the nearest is 2190m, 135.7-137.8 kHz"],
    [2500, {}, "2500 kHz is outside the amateur bands; the nearest is 160m, 1800-2000 kHz"],
    [2750, {}, "2750 kHz is outside the amateur bands; the nearest is 160m, 1800-2000 kHz"],
    [2750.001, {}, "2750.001 kHz is outside the amateur bands; the nearest is 80m, 3500-4000 kHz"],
    [
      Infinity,
      {},
      "Infinity kHz is outside the amateur bands; the nearest is submm, 300000000-7500000000 kHz",
    ],
    [-Infinity, {}, "-Infinity kHz is outside the amateur bands; the nearest is 2190m, 135.7-137.8 kHz"],
    [Number.MAX_VALUE, { region: 2 }, "the nearest is submm, 300000000-7500000000 kHz"],
  ])("of %d kHz is a KeyError that names the nearest band: %o", (freq, options, message) => {
    const error = thrownBy(() => freqToBand(freq, options));
    expect(error).toBeInstanceOf(FrequencyError);
    expect(error).toBeInstanceOf(KeyError);
    expect(error).toMatchObject({ name: "KeyError", code: "frequency/outside-bands", key: freq });
    expect(error).toHaveProperty("message", expect.stringContaining(message));
    expect(findBand(freq, options)).toBeUndefined();
  });

  it.each([
    [NaN, "freq: NaN is not a number of kHz"],
    ["14005.3", 'freq: "14005.3" is not a number of kHz'],
    ["1".repeat(1000), "freq: a value of type string is not a number of kHz"],
    [undefined, "freq: undefined is not a number of kHz"],
    [null, "freq: null is not a number of kHz"],
    [[], "freq: a value of type object is not a number of kHz"],
    [14005n, "freq: a value of type bigint is not a number of kHz"],
    [Object.create(null), "freq: a value of type object is not a number of kHz"],
    [Symbol("kHz"), "freq: a value of type symbol is not a number of kHz"],
    [{ valueOf: () => 14005.3 }, "freq: a value of type object is not a number of kHz"],
  ])("that is not a number is a KeyError that names the expected value: case %#", (freq, message) => {
    const error = thrownBy(() => freqToBand(freq as number));
    expect(error).toBeInstanceOf(FrequencyError);
    expect(error).toHaveProperty("key", freq);
    expect(error).toHaveProperty(
      "message",
      `${message}; the amateur bands: 2190m, 135.7-137.8 kHz to submm, 300000000-7500000000 kHz`,
    );
    expect(findBand(freq as number)).toBeUndefined();
  });
});

describe("the region", () => {
  it.each([0, 4, "1", "constructor", null, NaN])("of %s is a ValueError", (region) => {
    const options = { region: region as IaruRegion };
    expect(() => freqToBand(14000, options)).toThrow(ValueError);
    expect(() => findBand(14000, options)).toThrow(ValueError);
    expect(() => listBands(options)).toThrow(ValueError);
  });

  it("is checked before the frequency", () => {
    expect(() => freqToBand(NaN, { region: 7 as IaruRegion })).toThrow(ValueError);
  });
});

describe("a result", () => {
  it("is frozen, so that later results stay correct", () => {
    const result: { mode: string | null } = freqToBand(14005.3);
    expect(() => {
      result.mode = "FM";
    }).toThrow(TypeError);
    expect(freqToBand(14005.3).mode).toBe("CW");
  });
});

describe("listBands", () => {
  it("lists ADIF's 33 bands from the lowest up", () => {
    expect(listBands()).toHaveLength(33);
    expect(listBands()[8]).toEqual({ band: 20, adif: "20m", itu: "HF", lower: 14000, upper: 14350 });
  });

  it("lists a region's bands with the region's edges", () => {
    const all = names();
    expect(names({ region: 1 })).toEqual(all.filter((name) => !["1.25m", "33cm"].includes(name)));
    expect(names({ region: 2 })).toEqual(all.filter((name) => !["8m", "5m", "4m"].includes(name)));
    expect(names({ region: 3 })).toEqual(
      all.filter((name) => !["8m", "5m", "4m", "1.25m", "33cm"].includes(name)),
    );
    expect(listBands({ region: 1 }).find(({ adif }) => adif === "2m")).toMatchObject({
      lower: 144000,
      upper: 146000,
    });
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(listBands())).toBe(true);
    expect(Object.isFrozen(listBands()[0])).toBe(true);
  });
});

describe("for any frequency", () => {
  const anyFreq = fc
    .oneof(
      fc.double({ min: 0, max: 60_000, noNaN: true }),
      fc.double({ min: 0, max: 8e9, noNaN: true }),
      fc
        .tuple(fc.constantFrom(...listBands()), fc.double({ min: -0.01, max: 1.01, noNaN: true }))
        .map(([{ lower, upper }, part]) => lower + part * (upper - lower)),
    )
    .map((freq) => Math.round(freq * 1e6) / 1e6); // frequencies count to the millihertz

  it("the band returned contains the frequency, and without one no band does", () => {
    const anyChoice = fc.constantFrom(...CHOICES);
    fc.assert(
      fc.property(anyFreq, anyChoice, (freq, options) => {
        const result = findBand(freq, options);
        const holding = listBands(options).filter(({ lower, upper }) => lower <= freq && freq <= upper);
        expect(holding.map(({ adif }) => adif)).toEqual(result === undefined ? [] : [result.adif]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("the result of a region has the default's band", () => {
    fc.assert(
      fc.property(anyFreq, fc.constantFrom(...REGIONS), (freq, region) => {
        const result = findBand(freq, { region });
        fc.pre(result !== undefined);
        const { band, adif, itu } = freqToBand(freq);
        expect(result).toMatchObject({ band, adif, itu });
      }),
    );
  });

  it("the default's mode is that of a region that has the band", () => {
    fc.assert(
      fc.property(anyFreq, (freq) => {
        const result = findBand(freq);
        fc.pre(result !== undefined);
        const modes = REGIONS.map((region) => findBand(freq, { region })?.mode);
        expect(modes).toContain(result.mode);
      }),
    );
  });

  it("freqToBand returns what findBand finds, and throws where it finds nothing", () => {
    fc.assert(
      fc.property(anyFreq, fc.constantFrom(...CHOICES), (freq, options) => {
        expect(resultOrNothing(freq, options)).toBe(findBand(freq, options));
      }),
    );
  });
});

function names(options?: FreqToBandOptions): string[] {
  return listBands(options).map(({ adif }) => adif);
}

/** What `freqToBand` returns; `undefined` where it throws the error for frequencies outside the bands. */
function resultOrNothing(freq: number, options: FreqToBandOptions): BandResult | undefined {
  try {
    return freqToBand(freq, options);
  } catch (error) {
    if (error instanceof FrequencyError) return undefined;
    throw error;
  }
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
