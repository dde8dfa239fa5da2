/**
 * Builds one sorted table of frequency intervals from the bands, the segment plans and the digital dial frequencies.
 *
 * Frequencies are whole millihertz here: an edge is inclusive or exclusive by adding 1, 7.5 THz stays exact, and
 * 7.0386 MHz times 1000 equals 7038.6 kHz in spite of binary fractions.
 */
import { ADIF_BANDS, bandEdges, type AdifName, type Edges } from "./adif-bands.js";
import { REGIONS, type IaruRegion } from "./iaru-region.js";
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

// Finds the interval that contains a number, among sorted intervals, in a step or two.
//
// A binary search over 130 intervals takes seven steps, each of which the branch predictor gets wrong half of the
// time. The leading bits of a floating-point number are a coarse logarithm of it; used as a slot number they lead close
// to the right interval, at equal relative width from 135 kHz to 7.5 THz.

/** Sorted intervals with their values, and where to start looking. */
interface IntervalIndex<Value> {
  /** The first number of each interval, ascending; a interval ends before the next one starts. */
  readonly starts: Float64Array;
  /** What each interval values. The last interval is the end of all: it has no value. */
  readonly values: readonly (Value | undefined)[];
  /** Slot of the first start. */
  readonly firstSlot: number;
  /** For each slot from there on, the last interval that starts in a lower slot: where stepping up begins. */
  readonly intervalOfSlot: Uint16Array;
}

/** A interval that starts at a number and ends where the next one starts. */
interface Interval<Value> {
  readonly start: number;
  readonly value: Value | undefined;
}

/** Indexes intervals with ascending positive starts; the last one has to be without an value. */
export function indexIntervals<Value>(intervals: readonly Interval<Value>[]): IntervalIndex<Value> {
  const starts = Float64Array.from(intervals, ({ start }) => start);
  const slots = starts.map(slotOf);
  const firstSlot = slots.at(0) ?? 0;
  const intervalOfSlot = new Uint16Array((slots.at(-1) ?? 0) - firstSlot + 1);
  for (let slot = 0, interval = 0; slot < intervalOfSlot.length; slot++) {
    // A start within the slot may lie above the slot's least number: such intervals are reached by stepping up.
    while ((slots[interval + 1] ?? Infinity) < firstSlot + slot) interval++;
    intervalOfSlot[slot] = interval;
  }
  return { starts, values: intervals.map(({ value }) => value), firstSlot, intervalOfSlot };
}

/** The value of the interval that holds the number; `undefined` outside all intervals and for NaN. */
export function searchIntervals<Value>(index: IntervalIndex<Value>, value: number): Value | undefined {
  const { starts, values, firstSlot, intervalOfSlot } = index;
  const first = starts[0] ?? Infinity;
  const end = starts[starts.length - 1] ?? -Infinity;
  if (!(value >= first && value < end)) return undefined;
  let interval = intervalOfSlot[slotOf(value) - firstSlot] ?? 0;
  while ((starts[interval + 1] ?? Infinity) <= value) interval++;
  return values[interval];
}

const double = new DataView(new ArrayBuffer(8));

/** The exponent and the first 8 bits of the fraction: 256 slots to each doubling. */
function slotOf(value: number): number {
  double.setFloat64(0, value);
  return double.getUint32(0) >>> 12;
}

// USB dial frequencies of FT8, FT4, WSPR and JS8 in kHz; the signals lie in the 3 kHz above the dial frequency.
//
// Sources: the default working frequencies of WSJT-X and of JS8Call. PSK31 needs no entry: its centers of activity
// are not dial frequencies and lie in digital segments of the plans.

/** The audio passband of a transceiver in kHz: the maximum offset of a signal above the dial frequency. */
const PASSBAND = 3;

// oxfmt-ignore
const DIALS = {
  FT8: [1840, 3573, 5357, 7074, 10136, 14074, 18100, 21074, 24915, 28074, 50313, 50323, 144174, 1296174],
  FT4: [3575, 7047.5, 10140, 14080, 18104, 21140, 24919, 28180, 50318, 144170],
  WSPR: [474.2, 1836.6, 3568.6, 3592.6, 5287.2, 5364.7, 7038.6, 10138.7, 14095.6, 18104.6, 21094.6, 24924.6, 28124.6, 50293, 144489],
  JS8: [1842, 3578, 7078, 10130, 14078, 18104, 21078, 24922, 28078, 50318],
};

/** FT8 dial frequencies that only some regions use. */
const REGIONAL_DIALS: readonly { readonly dial: number; readonly regions: readonly IaruRegion[] }[] = [
  { dial: 70154, regions: [1] },
  { dial: 432174, regions: [1] },
  { dial: 432065, regions: [2, 3] },
];

/**
 * The 200 Hz of WSPR on 2190 m, in kHz. Its dial frequency is 136; the whole passband above would cover the band of
 * 2.1 kHz, which the plans give to CW.
 */
const WSPR_2190M: Edges = [137.4, 137.6];

/** The frequency ranges, in kHz and inclusive, that are digital in the given regions in every segment. */
export function digitalRanges(regions: readonly IaruRegion[] = REGIONS): readonly Edges[] {
  const regional = REGIONAL_DIALS.filter((entry) => entry.regions.some((region) => regions.includes(region)));
  const dials = [...Object.values(DIALS).flat(), ...regional.map(({ dial }) => dial)];
  return [WSPR_2190M, ...dials.map((dial): Edges => [dial, dial + PASSBAND])];
}
