/**
 * Bands, segment plans and digital frequencies laid flat: one sorted list of stretches, each with its answer.
 *
 * Frequencies are whole millihertz here. That makes an edge included or not by one number more or less, keeps
 * 7.5 THz exact, and lets 7.0386 MHz times 1000 be 7038.6 kHz in spite of binary fractions.
 */
import { ADIF_BANDS, bandEdges, type AdifName, type Edges } from "./adif-bands.js";
import { digitalWindows } from "./digital-dials.js";
import { REGIONS, type IaruRegion } from "./iaru-region.js";
import { SEGMENT_PLANS, USES, type Plan } from "./segment-plans.js";
import { indexStretches, searchStretches, type Stretch, type StretchIndex } from "./stretch-index.js";

/** The mode that a frequency is meant for; phone is upper or lower sideband. */
export type BandMode = "CW" | "USB" | "LSB" | "DIGITAL";

/** What a frequency is used for. The object is frozen. */
export interface BandResult {
  /** The band by its wavelength in meters: 160, 20, 1.25, 0.7, 0.0063. 0.0005 stands for submm. */
  readonly band: number;
  /** The band's name in ADIF: "160m", "20m", "1.25m", "70cm", "6mm", "submm". */
  readonly adif: string;
  /** The ITU's frequency range: LF, MF, HF, VHF, UHF, SHF, EHF, and THF for submm (from 300 GHz). */
  readonly itu: string;
  /** `null` where none of the four is meant: FM, beacons, satellites, and bands without a segment plan. */
  readonly mode: BandMode | null;
}

/** A band with its edges in kHz; both belong to the band. The object is frozen. */
export interface Band {
  /** As in {@link BandResult}. */
  readonly band: number;
  /** As in {@link BandResult}. */
  readonly adif: string;
  /** As in {@link BandResult}. */
  readonly itu: string;
  /** The lowest frequency of the band, in kHz. */
  readonly lower: number;
  /** The highest frequency of the band, in kHz. */
  readonly upper: number;
}

/** The bands of one region, or of all, and what each frequency in them is for. */
export interface BandTable {
  /** From the lowest up. */
  readonly bands: readonly Band[];
  /** By millihertz. */
  readonly results: StretchIndex<BandResult>;
}

/** The answer for a frequency in kHz; `undefined` outside the bands and for NaN. */
export function searchTable({ results }: BandTable, freq: number): BandResult | undefined {
  return searchStretches(results, toMillihertz(freq));
}

/**
 * The table of one region, or of all: then the edges are ADIF's, which are the union of the regions', and where
 * plans overlap the first region's segment decides.
 */
export function buildTable(region?: IaruRegion): BandTable {
  const regions = region === undefined ? REGIONS : [region];
  const windows = digitalWindows(regions);
  const bands: Band[] = [];
  const stretches: Stretch<BandResult>[] = [];

  for (const entry of ADIF_BANDS) {
    const edges = bandEdges(entry, region);
    if (edges === undefined) continue;
    const { adif, band, itu } = entry;
    const [lower, upper] = edges;
    bands.push(Object.freeze({ band, adif, itu, lower, upper }));
    for (const { start, mode } of modeStretches({ adif, edges, windows, regions })) {
      stretches.push({ start, answer: Object.freeze({ band, adif, itu, mode }) });
    }
    stretches.push({ start: toMillihertz(upper) + 1, answer: undefined });
  }
  return { bands: Object.freeze(bands), results: indexStretches(stretches) };
}

interface BandUse {
  readonly adif: AdifName;
  readonly edges: Edges;
  readonly windows: readonly Edges[];
  readonly regions: readonly IaruRegion[];
}

/** Where the mode changes within a band: the first millihertz of each stretch, and the mode from there on. */
function modeStretches({
  adif,
  edges,
  windows,
  regions,
}: BandUse): { start: number; mode: BandMode | null }[] {
  const phone = adif === "60m" || edges[0] >= 10_000 ? "USB" : "LSB";
  const plans = regions.map((region) => SEGMENT_PLANS[adif]?.[region] ?? []);
  const first = toMillihertz(edges[0]);
  const last = toMillihertz(edges[1]);
  const cuts = [...windows, ...plans.flat()]
    .flatMap(([from, to]) => [toMillihertz(from), toMillihertz(to) + 1])
    .filter((cut) => cut > first && cut <= last);

  const stretches: { start: number; mode: BandMode | null }[] = [];
  for (const start of [first, ...cuts].sort((a, b) => a - b)) {
    const planned = windows.some((window) => holds(window, start)) ? "DIGITAL" : plannedMode(plans, start);
    const mode = planned === "phone" ? phone : planned;
    if (stretches.at(-1)?.mode !== mode) stretches.push({ start, mode });
  }
  return stretches;
}

/** The mode by the first plan that has a segment there; where two segments meet, the upper one counts. */
function plannedMode(plans: readonly Plan[], millihertz: number): (typeof USES)[keyof typeof USES] {
  for (const plan of plans) {
    const segment = plan.findLast(([from, to]) => holds([from, to], millihertz));
    if (segment !== undefined) return USES[segment[2]];
  }
  return null;
}

function holds([from, to]: Edges, millihertz: number): boolean {
  return toMillihertz(from) <= millihertz && millihertz <= toMillihertz(to);
}

function toMillihertz(kilohertz: number): number {
  return Math.round(kilohertz * 1e6);
}
