/**
 * Where FT8, FT4, WSPR and JS8 are worked: USB dial frequencies in kHz, whose signals lie in the 3 kHz above.
 *
 * Sources: the default working frequencies of WSJT-X and of JS8Call. PSK31 needs no entry: its centers of activity
 * are no dial frequencies, and lie in segments that the plans give to digital modes.
 */
import type { Edges } from "./adif-bands.js";
import { REGIONS, type IaruRegion } from "./iaru-region.js";

/** The audio passband of a transceiver in kHz: a signal is this far above its dial frequency at the most. */
const PASSBAND = 3;

// prettier-ignore
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
 * The 200 Hz of WSPR on 2190 m, in kHz. Its dial frequency is 136, and the whole passband above would leave nothing
 * of a band of 2.1 kHz to the CW that the plans give it to.
 */
const WSPR_2190M: Edges = [137.4, 137.6];

/** The stretches that are digital in the given regions whatever the segment plan says, in kHz, edges included. */
export function digitalWindows(regions: readonly IaruRegion[] = REGIONS): readonly Edges[] {
  const regional = REGIONAL_DIALS.filter((entry) => entry.regions.some((region) => regions.includes(region)));
  const dials = [...Object.values(DIALS).flat(), ...regional.map(({ dial }) => dial)];
  return [WSPR_2190M, ...dials.map((dial): Edges => [dial, dial + PASSBAND])];
}
