/**
 * Finds the band of a frequency: builds one sorted table of frequency intervals from the bands, the segment plans and the digital dial frequencies.
 *
 * Frequencies are whole millihertz here: an edge is inclusive or exclusive by adding 1, 7.5 THz stays exact, and
 * 7.0386 MHz times 1000 equals 7038.6 kHz in spite of binary fractions.
 */
import { ADIF_BANDS, bandEdges, type AdifName, type Edges } from "./band-edges.js";
import { digitalRanges } from "./dial-frequencies.js";
import { REGIONS, type IaruRegion } from "./iaru-region.js";
import { indexIntervals, searchIntervals, type Interval, type IntervalIndex } from "./interval-index.js";
import { SEGMENT_PLANS, USES, type Plan } from "./segment-plans.js";

/** The mode that the band plan gives for a frequency; phone is upper or lower sideband. */
export type BandMode = "CW" | "USB" | "LSB" | "DIGITAL";

/** The band and mode of a frequency. The object is frozen. */
export interface BandResult {
  /** The band's wavelength in meters: 160, 20, 1.25, 0.7, 0.0063. 0.0005 stands for submm. */
  readonly band: number;
  /** The band's name in ADIF: "160m", "20m", "1.25m", "70cm", "6mm", "submm". */
  readonly adif: string;
  /** The ITU's frequency range: LF, MF, HF, VHF, UHF, SHF, EHF, and THF for submm (from 300 GHz). */
  readonly itu: string;
  /** `null` for FM, beacons, satellites, and bands without a segment plan. */
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

/** The bands of one region, or of all three, and the result for each frequency in them. */
export interface BandTable {
  /** In ascending order of frequency. */
  readonly bands: readonly Band[];
  /** By millihertz. */
  readonly results: IntervalIndex<BandResult>;
}

/** The result for a frequency in kHz; `undefined` outside the bands and for NaN. */
export function searchTable({ results }: BandTable, freq: number): BandResult | undefined {
  return searchIntervals(results, toMillihertz(freq));
}

/**
 * The table of one region. Without a region the edges are ADIF's, which are the union of the regions' allocations, and
 * where plans overlap the segment of the first region applies.
 */
export function buildTable(region?: IaruRegion): BandTable {
  const regions = region === undefined ? REGIONS : [region];
  const ranges = digitalRanges(regions);
  const bands: Band[] = [];
  const intervals: Interval<BandResult>[] = [];

  for (const entry of ADIF_BANDS) {
    const edges = bandEdges(entry, region);
    if (edges === undefined) continue;
    const { adif, band, itu } = entry;
    const [lower, upper] = edges;
    bands.push(Object.freeze({ band, adif, itu, lower, upper }));
    for (const { start, mode } of modeIntervals({ adif, edges, ranges, regions })) {
      intervals.push({ start, value: Object.freeze({ band, adif, itu, mode }) });
    }
    intervals.push({ start: toMillihertz(upper) + 1, value: undefined });
  }
  return { bands: Object.freeze(bands), results: indexIntervals(intervals) };
}

interface BandUse {
  readonly adif: AdifName;
  readonly edges: Edges;
  readonly ranges: readonly Edges[];
  readonly regions: readonly IaruRegion[];
}

/** The intervals of a band with one mode each: the first millihertz and the mode. */
function modeIntervals({
  adif,
  edges,
  ranges,
  regions,
}: BandUse): { start: number; mode: BandMode | null }[] {
  const phone = adif === "60m" || edges[0] >= 10_000 ? "USB" : "LSB";
  const plans = regions.map((region) => SEGMENT_PLANS[adif]?.[region] ?? []);
  const first = toMillihertz(edges[0]);
  const last = toMillihertz(edges[1]);
  const cuts = [...ranges, ...plans.flat()]
    .flatMap(([from, to]) => [toMillihertz(from), toMillihertz(to) + 1])
    .filter((cut) => cut > first && cut <= last);

  const intervals: { start: number; mode: BandMode | null }[] = [];
  for (const start of [first, ...cuts].sort((a, b) => a - b)) {
    const planned = ranges.some((range) => holds(range, start)) ? "DIGITAL" : plannedMode(plans, start);
    const mode = planned === "phone" ? phone : planned;
    if (intervals.at(-1)?.mode !== mode) intervals.push({ start, mode });
  }
  return intervals;
}

/** The mode by the first plan with a segment at this frequency; where two segments meet, the upper one applies. */
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
