/** The band of a contact in a log. */
import { findBand } from "./freq-to-band.js";

/**
 * The band that a record of ADIF names, in lower case: its BAND, or without one that of its FREQ.
 *
 * @param band BAND, or BAND_RX.
 * @param megahertz FREQ, or FREQ_RX.
 * @returns BAND is not checked, it may be no band of ADIF. "" without either, and for a frequency in no band.
 */
export function bandOfRecord(band: string | undefined, megahertz: string | undefined): string {
  const name = band?.trim().toLowerCase() ?? "";
  if (name !== "" || megahertz === undefined || megahertz.trim() === "") return name;
  return findBand(Number(megahertz) * 1000)?.adif ?? "";
}
