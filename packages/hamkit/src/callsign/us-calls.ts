/** States of the United States behind a call, and calls of its territories beyond the mainland. */

/** Postal abbreviations, but for those that visitors write as the prefix of a country, and Hawaii. */
const STATE =
  /^(?:A[KLRZ]|C[AO]|D[CE]|FL|GA|I[ADLN]|K[SY]|M[ADEINOST]|N[CDEHJMVY]|OR|RI|S[CD]|T[NX]|V[AT]|W[AIVY])$/;

/** Calls of the United States: AA to AL, K, N and W. */
const UNITED_STATES = /^(?:A[A-L]|[KNW])/;

/**
 * Whether a suffix is the state that a station of the United States is in: AA5TL/OR is in Oregon and not in Belgium, whose
 * visitors write ON. CT, LA, OH, OK, PA and UT are the prefixes of Portugal, Norway, Finland, Czechia, the Netherlands and
 * Ukraine for visitors, and HI is that of the Dominican Republic; these stay prefixes.
 *
 * @see CEPT Recommendation T/R 61-01, annexes 2 and 4: the prefixes of visitors.
 */
export function isUsState(call: string, suffix: string): boolean {
  return UNITED_STATES.test(call) && STATE.test(suffix);
}

/**
 * Whether a call is one of Hawaii, Alaska, Puerto Rico or the islands: their digits name islands and not areas. KH6ABC/4 is on
 * the mainland, as the country files have it for 245 of the 246 such calls that they list, and not on Midway.
 */
export function isUsTerritory(call: string): boolean {
  return US_TERRITORY.test(call);
}

const US_TERRITORY = /^[AKNW][HLP][0-9]/;
