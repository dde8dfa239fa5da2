/**
 * `hamkit/frequency`: the amateur band of a frequency and its mode by the IARU band plans.
 *
 * @module hamkit/frequency
 */
export { findBand, freqToBand, listBands, type FreqToBandOptions } from "./bands/freq-to-band.js";
export type { Band, BandMode, BandResult } from "./bands/band-search.js";
export type { IaruRegion } from "./bands/iaru-region.js";
