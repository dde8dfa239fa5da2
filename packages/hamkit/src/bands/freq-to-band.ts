/** Looks up the amateur band of a frequency and its mode by the IARU band plans. */
import { FrequencyError } from "../errors.js";
import { buildTable, searchTable, type Band, type BandResult, type BandTable } from "./band-search.js";
import { requireRegion, type IaruRegion } from "./iaru-region.js";

/** Selects the band plan. */
export interface FreqToBandOptions {
  /** The IARU region; default: all three combined. */
  readonly region?: IaruRegion;
}

/**
 * The band of a frequency and its mode by the IARU band plan.
 *
 * Without a region the edges are ADIF's, which are the union of the regions' allocations, and the mode comes from
 * the first region whose plan has a segment there, region 1 first. With a region only its own allocations and plan
 * apply. The dial frequencies of FT8, FT4, WSPR and JS8, and the 3 kHz above, are `DIGITAL` in every segment.
 *
 * @param freq The frequency in kHz, compared to the millihertz.
 * @param options The IARU region whose edges and plan to use.
 * @returns The band in meters and by its ADIF name, the ITU's name of the frequency range, and the mode. Both edges
 *   of a band belong to it. A frequency where two segments meet belongs to the upper one. The object is frozen and
 *   may be returned again.
 * @throws {FrequencyError} A `KeyError`: the frequency is outside the bands (the message names the nearest), is NaN
 *   or is not a number.
 * @throws {ValueError} The region is not 1, 2 or 3.
 * @see IARU Region 1 HF band plan (2020), Region 2 band plan (2020), Region 3 band plans R3-004 (2024); ADIF 3.1.6,
 *   Band enumeration.
 * @example
 * freqToBand(14005.3); // => { band: 20, adif: "20m", itu: "HF", mode: "CW" }
 * freqToBand(7250).mode; // => "LSB"
 * freqToBand(28250).mode; // => null
 * freqToBand(28250, { region: 3 }).mode; // => "USB"
 */
export function freqToBand(freq: number, options?: FreqToBandOptions): BandResult {
  const result = findBand(freq, options);
  if (result === undefined) throw outsideBands(freq, options?.region);
  return result;
}

/**
 * Like {@link freqToBand}, but returns `undefined` instead of throwing a `KeyError`: for bulk work, where exceptions
 * are too slow.
 *
 * @param freq The frequency in kHz.
 * @param options The IARU region whose edges and plan to use.
 * @throws {ValueError} The region is not 1, 2 or 3.
 * @example
 * findBand(10136.8)?.mode; // => "DIGITAL"
 * findBand(13500); // => undefined
 */
export function findBand(freq: number, options?: FreqToBandOptions): BandResult | undefined {
  const table = tableOf(options?.region);
  return typeof freq === "number" ? searchTable(table, freq) : undefined;
}

/**
 * All bands in ascending order with their edges in kHz: ADIF's, or the allocations of a region.
 *
 * @param options The IARU region whose bands and edges to list.
 * @returns A frozen array of frozen objects. In regions 2 and 3 the bands 8m, 5m and 4m are missing, in regions 1 and
 *   3 the bands 1.25m and 33cm.
 * @throws {ValueError} The region is not 1, 2 or 3.
 * @example
 * listBands({ region: 1 })[4]; // => { band: 80, adif: "80m", itu: "HF", lower: 3500, upper: 3800 }
 * listBands().length; // => 33
 */
export function listBands(options?: FreqToBandOptions): readonly Band[] {
  return tableOf(options?.region).bands;
}

/** Cached tables; building one takes a few milliseconds. */
const tables = new Map<IaruRegion | undefined, BandTable>();

function tableOf(region: IaruRegion | undefined): BandTable {
  return tables.get(region) ?? buildTableOnce(region);
}

function buildTableOnce(region: IaruRegion | undefined): BandTable {
  const table = region === undefined ? buildTable() : buildTable(requireRegion(region));
  tables.set(region, table);
  return table;
}

/** The error for a frequency outside the bands: names the nearest band, or the range of all bands for a non-number. */
function outsideBands(freq: unknown, region: IaruRegion | undefined): FrequencyError {
  const { bands } = tableOf(region);
  const where = region === undefined ? "the amateur bands" : `the amateur bands of IARU region ${region}`;
  if (typeof freq !== "number" || Number.isNaN(freq)) {
    const span = `${nameWithEdges(bands.at(0))} to ${nameWithEdges(bands.at(-1))}`;
    return new FrequencyError(freq, `freq: ${describe(freq)} is not a number of kHz; ${where}: ${span}`);
  }
  const nearest = nameWithEdges(nearestBand(bands, freq));
  return new FrequencyError(freq, `${freq} kHz is outside ${where}; the nearest is ${nearest}`);
}

/** The band nearest in kHz to a frequency outside all bands; the lower one of two equally near. */
function nearestBand(bands: readonly Band[], freq: number): Band | undefined {
  const below = bands.findLast(({ upper }) => upper <= freq);
  const above = bands.find(({ lower }) => lower >= freq);
  if (below === undefined || above === undefined) return below ?? above;
  return above.lower - freq < freq - below.upper ? above : below;
}

function nameWithEdges(band: Band | undefined): string {
  return band === undefined ? "none" : `${band.adif}, ${band.lower}-${band.upper} kHz`;
}

/** A value that is not a number, as messages show it: short text quoted, anything else by its type. */
function describe(value: unknown): string {
  if (typeof value === "string" && value.length <= 60) return JSON.stringify(value);
  if (value === null || value === undefined || typeof value === "number") return String(value);
  return `a value of type ${typeof value}`;
}
