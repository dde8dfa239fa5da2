/**
 * The segments of the IARU band plans in kHz, with their use in the plans' own terms.
 *
 * Sources: IARU Region 1 HF band plan (16 October 2020) and VHF handbook; Region 2 band plan (September 2020);
 * Region 3 band plans R3-004 (November 2024). A frequency where two segments meet belongs to the upper one.
 * Sub-segments that differ only in usage (DX windows, contests, low power) are joined. Above 70 cm the plans differ
 * from country to country, so there are none here.
 */
import type { AdifName } from "./band-edges.js";
import type { IaruRegion } from "./iaru-region.js";

/**
 * The mode of each segment use; `phone` is the usual sideband of the band.
 *
 * The plans allow CW nearly everywhere. So a segment that names phone or all modes next to narrower modes is a phone
 * segment, and one that names CW before other narrow modes is a CW segment.
 */
export const USES = {
  CW: "CW",
  "CW/BCN": "CW",
  "CW/MGM": "CW", // machine-generated modes
  "CW/NB": "CW",
  NB: "DIGITAL", // narrow-band digital modes, up to 500 Hz
  DIGI: "DIGITAL", // all modes up to 2.7 kHz, digital ones first
  "DIGI/FM": "DIGITAL",
  "DIGI/SAT": "DIGITAL",
  ALL: "phone",
  "ALL/FM": "phone",
  "ALL/BCN": "phone",
  "ALL/NB": "phone",
  AM: "phone",
  SSB: "phone",
  "SSB/CW": "phone",
  "SSB/DIGI": "phone",
  BCN: null, // beacons only
  EME: null, // reflections from the moon, in CW and in digital modes
  FM: null, // and other wide modes
  GUARD: null, // no transmission
  SAT: null,
} as const;

type Use = keyof typeof USES;

/** A segment of a band; both edges belong to it unless another segment begins at the upper one. */
export type Segment = readonly [from: number, to: number, use: Use];

/** The segments of one band in one region in ascending order; they do not overlap. */
export type Plan = readonly Segment[];

const same = (plan: Plan): Record<IaruRegion, Plan> => ({ 1: plan, 2: plan, 3: plan });

/** The plans of each band by region. A missing band or frequency range has no segment plan. */
export const SEGMENT_PLANS: Partial<Record<AdifName, Record<IaruRegion, Plan>>> = {
  "2190m": same([[135.7, 137.8, "CW/NB"]]),

  "630m": {
    1: [
      [472, 475, "CW"],
      [475, 479, "NB"],
    ],
    2: [[472, 479, "CW/NB"]],
    3: [[472, 479, "CW/NB"]],
  },

  "160m": {
    1: [
      [1810, 1838, "CW"],
      [1838, 1840, "NB"],
      [1840, 1843, "DIGI"],
      [1843, 2000, "ALL"],
    ],
    2: [
      [1800, 1810, "DIGI"],
      [1810, 1840, "CW"],
      [1840, 2000, "ALL"],
    ],
    3: [
      [1800, 1830, "CW"],
      [1830, 1840, "CW/NB"],
      [1840, 2000, "ALL"],
    ],
  },

  "80m": {
    1: [
      [3500, 3570, "CW"],
      [3570, 3600, "NB"],
      [3600, 3620, "DIGI"],
      [3620, 3800, "ALL"],
    ],
    2: [
      [3500, 3570, "CW"],
      [3570, 3600, "NB"],
      [3600, 3625, "DIGI"],
      [3625, 4000, "ALL"],
    ],
    3: [
      [3500, 3535, "CW"],
      [3535, 3900, "ALL"],
    ],
  },

  // The allocation of WRC-15; the rest of ADIF's band is used by national permission, without a common plan.
  "60m": same([
    [5351.5, 5354, "CW/NB"],
    [5354, 5366, "ALL"],
    [5366, 5366.5, "NB"], // 20 Hz
  ]),

  "40m": {
    1: [
      [7000, 7040, "CW"],
      [7040, 7050, "NB"],
      [7050, 7060, "DIGI"],
      [7060, 7200, "ALL"],
    ],
    2: [
      [7000, 7040, "CW"],
      [7040, 7050, "NB"],
      [7050, 7060, "DIGI"],
      [7060, 7300, "ALL"],
    ],
    3: [
      [7000, 7030, "CW"],
      [7030, 7060, "ALL/NB"],
      [7060, 7200, "ALL"],
    ],
  },

  // No phone in any region.
  "30m": {
    1: [
      [10100, 10130, "CW"],
      [10130, 10150, "NB"],
    ],
    2: [
      [10100, 10130, "CW"],
      [10130, 10140, "NB"],
      [10140, 10150, "DIGI"],
    ],
    3: [
      [10100, 10130, "CW"],
      [10130, 10150, "NB"],
    ],
  },

  "20m": same([
    [14000, 14070, "CW"],
    [14070, 14099, "NB"],
    [14099, 14101, "BCN"],
    [14101, 14112, "DIGI"],
    [14112, 14350, "ALL"],
  ]),

  "17m": {
    1: [
      [18068, 18095, "CW"],
      [18095, 18109, "NB"],
      [18109, 18111, "BCN"],
      [18111, 18120, "DIGI"],
      [18120, 18168, "ALL"],
    ],
    2: [
      [18068, 18095, "CW"],
      [18095, 18109, "NB"],
      [18109, 18111, "BCN"],
      [18111, 18120, "DIGI"],
      [18120, 18168, "ALL"],
    ],
    3: [
      [18068, 18095, "CW"],
      [18095, 18110, "NB"],
      [18110, 18111, "BCN"],
      [18111, 18120, "DIGI"],
      [18120, 18168, "ALL"],
    ],
  },

  "15m": {
    1: [
      [21000, 21070, "CW"],
      [21070, 21110, "NB"],
      [21110, 21120, "DIGI"],
      [21120, 21149, "NB"],
      [21149, 21151, "BCN"],
      [21151, 21450, "ALL"],
    ],
    2: [
      [21000, 21070, "CW"],
      [21070, 21110, "NB"],
      [21110, 21120, "DIGI"],
      [21120, 21149, "NB"],
      [21149, 21151, "BCN"],
      [21151, 21450, "ALL"],
    ],
    3: [
      [21000, 21070, "CW"],
      [21070, 21110, "NB"],
      [21110, 21125, "DIGI"],
      [21125, 21149, "DIGI/SAT"],
      [21149, 21151, "BCN"],
      [21151, 21450, "ALL"],
    ],
  },

  "12m": same([
    [24890, 24915, "CW"],
    [24915, 24929, "NB"],
    [24929, 24931, "BCN"],
    [24931, 24940, "DIGI"],
    [24940, 24990, "ALL"],
  ]),

  "10m": {
    1: [
      [28000, 28070, "CW"],
      [28070, 28190, "NB"],
      [28190, 28300, "BCN"],
      [28300, 28320, "DIGI"],
      [28320, 29000, "ALL"],
      [29000, 29200, "ALL/FM"],
      [29200, 29300, "DIGI"],
      [29300, 29510, "SAT"],
      [29510, 29520, "GUARD"],
      [29520, 29700, "FM"],
    ],
    2: [
      [28000, 28070, "CW"],
      [28070, 28190, "NB"],
      [28190, 28225, "BCN"],
      [28225, 28300, "ALL/BCN"],
      [28300, 28320, "DIGI"],
      [28320, 29000, "ALL"],
      [29000, 29200, "AM"],
      [29200, 29300, "DIGI/FM"],
      [29300, 29510, "SAT"],
      [29510, 29520, "GUARD"],
      [29520, 29700, "FM"],
    ],
    3: [
      [28000, 28070, "CW"],
      [28070, 28190, "NB"],
      [28190, 28225, "BCN"],
      [28225, 29300, "ALL"],
      [29300, 29510, "SAT"],
      [29510, 29520, "GUARD"],
      [29520, 29700, "FM"],
    ],
  },

  "6m": {
    1: [
      [50000, 50100, "CW/BCN"],
      [50100, 50300, "SSB/CW"],
      [50300, 50500, "NB"],
      [50500, 52000, "ALL/FM"],
      [52000, 54000, "ALL"],
    ],
    2: [
      [50000, 50100, "CW/BCN"],
      [50100, 50500, "SSB/DIGI"],
      [50500, 54000, "ALL/FM"],
    ],
    3: [
      [50000, 50100, "CW/BCN"],
      [50100, 50500, "SSB/DIGI"],
      [50500, 54000, "FM"],
    ],
  },

  "2m": {
    1: [
      [144000, 144100, "CW"],
      [144100, 144150, "CW/MGM"],
      [144150, 144400, "SSB"],
      [144400, 144490, "BCN"],
      [144500, 144794, "ALL"],
      [144794, 144962.5, "DIGI"],
      [144975, 145793.5, "FM"], // repeaters and simplex
      [145806, 146000, "SAT"],
    ],
    2: [],
    3: [
      [144000, 144035, "EME"],
      [145800, 146000, "SAT"],
    ],
  },

  "70cm": {
    1: [
      [432000, 432100, "CW"],
      [432100, 432400, "SSB/DIGI"],
      [432400, 432490, "BCN"],
    ],
    2: [],
    3: [
      [431900, 432240, "EME"],
      [435000, 438000, "SAT"],
    ],
  },
};
