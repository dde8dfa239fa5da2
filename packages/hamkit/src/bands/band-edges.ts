/**
 * The amateur bands: names and edges by ADIF, and the narrower allocations of single IARU regions.
 *
 * Sources: ADIF 3.1.6 (2025-09-15), Band enumeration, for names and edges; ITU Radio Regulations, article 2, for
 * the frequency ranges; the IARU regions' band plans for the allocations.
 */
import type { IaruRegion } from "./iaru-region.js";

/** The edges of a band in kHz; both belong to it. */
export type Edges = readonly [lower: number, upper: number];

/** A band of ADIF's enumeration; the edges in kHz. */
interface AdifBand {
  readonly adif: string;
  readonly band: number;
  readonly itu: "LF" | "MF" | "HF" | "VHF" | "UHF" | "SHF" | "EHF" | "THF";
  readonly lower: number;
  readonly upper: number;
}

/**
 * Every band of ADIF, in ascending order of frequency.
 *
 * `band` is the wavelength in meters by the convention of logging programs, which is not always the number in the
 * name: 70 cm is 0.7, 6 cm 0.053, 6 mm 0.0063. ADIF gives the submillimeter band no wavelength; it has 0.0005 here.
 *
 * The Radio Regulations define no symbol for the range above 300 GHz. "THF" is the customary one; here it covers all
 * of submm, which extends beyond the regulations' last range (3,000 GHz).
 */
export const ADIF_BANDS = [
  { adif: "2190m", band: 2190, itu: "LF", lower: 135.7, upper: 137.8 },
  { adif: "630m", band: 630, itu: "MF", lower: 472, upper: 479 },
  { adif: "560m", band: 560, itu: "MF", lower: 501, upper: 504 },
  { adif: "160m", band: 160, itu: "MF", lower: 1_800, upper: 2_000 },
  { adif: "80m", band: 80, itu: "HF", lower: 3_500, upper: 4_000 },
  { adif: "60m", band: 60, itu: "HF", lower: 5_060, upper: 5_450 },
  { adif: "40m", band: 40, itu: "HF", lower: 7_000, upper: 7_300 },
  { adif: "30m", band: 30, itu: "HF", lower: 10_100, upper: 10_150 },
  { adif: "20m", band: 20, itu: "HF", lower: 14_000, upper: 14_350 },
  { adif: "17m", band: 17, itu: "HF", lower: 18_068, upper: 18_168 },
  { adif: "15m", band: 15, itu: "HF", lower: 21_000, upper: 21_450 },
  { adif: "12m", band: 12, itu: "HF", lower: 24_890, upper: 24_990 },
  { adif: "10m", band: 10, itu: "HF", lower: 28_000, upper: 29_700 },
  { adif: "8m", band: 8, itu: "VHF", lower: 40_000, upper: 45_000 },
  { adif: "6m", band: 6, itu: "VHF", lower: 50_000, upper: 54_000 },
  { adif: "5m", band: 5, itu: "VHF", lower: 54_000.001, upper: 69_900 },
  { adif: "4m", band: 4, itu: "VHF", lower: 70_000, upper: 71_000 },
  { adif: "2m", band: 2, itu: "VHF", lower: 144_000, upper: 148_000 },
  { adif: "1.25m", band: 1.25, itu: "VHF", lower: 222_000, upper: 225_000 },
  { adif: "70cm", band: 0.7, itu: "UHF", lower: 420_000, upper: 450_000 },
  { adif: "33cm", band: 0.33, itu: "UHF", lower: 902_000, upper: 928_000 },
  { adif: "23cm", band: 0.23, itu: "UHF", lower: 1_240_000, upper: 1_300_000 },
  { adif: "13cm", band: 0.13, itu: "UHF", lower: 2_300_000, upper: 2_450_000 },
  { adif: "9cm", band: 0.09, itu: "SHF", lower: 3_300_000, upper: 3_500_000 },
  { adif: "6cm", band: 0.053, itu: "SHF", lower: 5_650_000, upper: 5_925_000 },
  { adif: "3cm", band: 0.03, itu: "SHF", lower: 10_000_000, upper: 10_500_000 },
  { adif: "1.25cm", band: 0.0125, itu: "SHF", lower: 24_000_000, upper: 24_250_000 },
  { adif: "6mm", band: 0.0063, itu: "EHF", lower: 47_000_000, upper: 47_200_000 },
  { adif: "4mm", band: 0.004, itu: "EHF", lower: 75_500_000, upper: 81_000_000 },
  { adif: "2.5mm", band: 0.0025, itu: "EHF", lower: 119_980_000, upper: 123_000_000 },
  { adif: "2mm", band: 0.002, itu: "EHF", lower: 134_000_000, upper: 149_000_000 },
  { adif: "1mm", band: 0.001, itu: "EHF", lower: 241_000_000, upper: 250_000_000 },
  { adif: "submm", band: 0.0005, itu: "THF", lower: 300_000_000, upper: 7_500_000_000 },
] as const satisfies readonly AdifBand[];

/** The ADIF name of a band. */
export type AdifName = (typeof ADIF_BANDS)[number]["adif"];

/**
 * Allocations that are narrower than ADIF's edges, in kHz; `null` means no allocation.
 *
 * 8 m, 5 m and 4 m exist only in region 1, by national decisions, and keep ADIF's edges there.
 */
const ALLOCATIONS: Partial<Record<AdifName, Partial<Record<IaruRegion, Edges | null>>>> = {
  "160m": { 1: [1_810, 2_000] },
  "80m": { 1: [3_500, 3_800], 3: [3_500, 3_900] },
  "40m": { 1: [7_000, 7_200], 3: [7_000, 7_200] },
  "8m": { 2: null, 3: null },
  "5m": { 2: null, 3: null },
  "4m": { 2: null, 3: null },
  "2m": { 1: [144_000, 146_000] },
  "1.25m": { 1: null, 3: null },
  "70cm": { 1: [430_000, 440_000], 3: [430_000, 450_000] },
  "33cm": { 1: null, 3: null },
  "6cm": { 1: [5_650_000, 5_850_000], 3: [5_650_000, 5_850_000] },
};

/** The edges of a band in a region, ADIF's if no region is given; `undefined` if the band is not allocated there. */
export function bandEdges(band: (typeof ADIF_BANDS)[number], region?: IaruRegion): Edges | undefined {
  const allocation = region === undefined ? undefined : ALLOCATIONS[band.adif]?.[region];
  if (allocation === null) return undefined;
  return allocation ?? [band.lower, band.upper];
}
