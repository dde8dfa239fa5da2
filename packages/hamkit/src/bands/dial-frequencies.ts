/**
 * USB dial frequencies of FT8, FT4, WSPR and JS8 in kHz; the signals lie in the 3 kHz above the dial frequency.
 *
 * Sources: the default working frequencies of WSJT-X and of JS8Call. PSK31 needs no entry: its centers of activity
 * are not dial frequencies and lie in digital segments of the plans.
 */
import type { Edges } from "./band-edges.js";
import { REGIONS, type IaruRegion } from "./iaru-region.js";

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
