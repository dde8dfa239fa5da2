/** Frequencies by way of a satellite. */
import { ValueError } from "../errors.js";
import { seenFrom, type Observer } from "./satellite-look.js";

/** Of light, in km/s. */
const LIGHT_KM_S = 299_792.458;

/**
 * The frequency on which a downlink is heard.
 *
 * @param frequencyHz As the satellite sends.
 * @param rangeRateKmS Of `look`: positive where the satellite goes away.
 * @example
 * Math.round(downlinkHeard(145_800_000, -7.0089)); // => 145803409
 */
export function downlinkHeard(frequencyHz: number, rangeRateKmS: number): number {
  return frequencyHz * (1 - rangeRateKmS / LIGHT_KM_S);
}

/**
 * The frequency to send on, for the satellite to receive a frequency.
 *
 * @example
 * Math.round(uplinkToSend(435_000_000, -7)); // => 434989843
 */
export function uplinkToSend(frequencyHz: number, rangeRateKmS: number): number {
  return frequencyHz * (1 + rangeRateKmS / LIGHT_KM_S);
}

/** A linear transponder: its passband on both sides. */
export interface Transponder {
  readonly uplinkHz: readonly [from: number, to: number];
  readonly downlinkHz: readonly [from: number, to: number];
  /** The upper end of the uplink is the lower one of the downlink: uplink and downlink have a constant sum. */
  readonly isInverting: boolean;
}

/**
 * The uplink that a transponder makes a downlink of, both at the satellite.
 *
 * @throws {ValueError} The frequency is outside the passband.
 * @example
 * uplinkOf(QO_100.narrowband, 10_489_650_000); // => 2400150000
 */
export function uplinkOf({ uplinkHz, downlinkHz, isInverting }: Transponder, frequencyHz: number): number {
  const [from, to] = downlinkHz;
  if (!(frequencyHz >= from && frequencyHz <= to))
    throw new ValueError({ argument: "frequencyHz", value: frequencyHz, expected: `from ${from} to ${to}` });
  return isInverting ? uplinkHz[1] - (frequencyHz - from) : uplinkHz[0] + (frequencyHz - from);
}

/** QO-100 on Es'hail-2, over the equator at 25.9° E. It stands still: no passes and no Doppler. */
export const QO_100: {
  readonly longitude: number;
  readonly narrowband: Transponder;
  readonly wideband: Transponder;
} = /* @__PURE__ */ Object.freeze({
  longitude: 25.9,
  // https://amsat-dl.org/eshail-2-amsat-phase-4-a: 2400.000 to 2400.500 MHz, and for wideband 2401.5 to 2409.5 MHz
  narrowband: {
    uplinkHz: [2_400_000_000, 2_400_500_000],
    downlinkHz: [10_489_500_000, 10_490_000_000],
    isInverting: false,
  },
  wideband: {
    uplinkHz: [2_401_500_000, 2_409_500_000],
    downlinkHz: [10_491_000_000, 10_499_000_000],
    isInverting: false,
  },
} as const);

/** Of satellites that stand still, in km from the center of the earth. */
const GEOSTATIONARY_KM = 42_164.17;

/**
 * Where a geostationary satellite stands, seen from a place.
 *
 * @param longitude Of the satellite, in degrees, positive in the east.
 * @returns Azimuth and elevation in degrees, range in km; below the horizon the elevation is negative.
 * @example
 * const { azimuth, elevation } = lookAtGeostationary({ latitude: 51.43, longitude: 7.19 }, QO_100.longitude);
 * [Math.round(azimuth), Math.round(elevation)]; // => [157, 29]
 */
export function lookAtGeostationary(
  observer: Observer,
  longitude: number,
): { readonly azimuth: number; readonly elevation: number; readonly rangeKm: number } {
  const angle = (longitude * Math.PI) / 180;
  const { azimuth, elevation, rangeKm } = seenFrom(observer, [
    GEOSTATIONARY_KM * Math.cos(angle),
    GEOSTATIONARY_KM * Math.sin(angle),
    0,
  ]);
  return { azimuth, elevation, rangeKm };
}
