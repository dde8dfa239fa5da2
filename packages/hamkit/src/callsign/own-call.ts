/** Which part of a callsign is the station's own call, and which names a place. */
import { FULL_CALL, isFullCall, isShortenedCall } from "./form.js";

/**
 * The station's own call: the part with the highest rank, and of equal ones the last, because a prefix goes before the
 * call.
 */
export function ownCall(parts: readonly string[]): string | undefined {
  let own: string | undefined;
  for (const part of parts) {
    if (isFullCall(part) && (own === undefined || ownCallRank(part) >= ownCallRank(own))) own = part;
  }
  return own ?? parts.find(isShortenedCall);
}

/**
 * How likely a full call is a station's own rather than a prefix: more than 2 by the length of its suffix, 2 with one letter, less
 * for the prefix of an island or another entity with one letter. W1AW (3) is a station, N6T (2) may be one, KH6X (1) rather
 * names Hawaii, and VK9X (0) an island.
 */
function ownCallRank(call: string): number {
  const suffix = FULL_CALL.exec(call)?.[3] ?? "";
  if (suffix.length > 1) return suffix.length + 1;
  if (REMOTE_PREFIX.test(call)) return 0;
  return ISLAND_PREFIX.test(call) ? 1 : 2;
}

/** Whether a text with the form of a call is rather the prefix of a place: VK9X, KH6X. */
export function isPlacePrefix(call: string): boolean {
  return ownCallRank(call) < 2;
}

/**
 * Prefixes that name an entity by their digit, or by a letter behind it, where stations rarely have a suffix of one letter: C6A,
 * VK9N, CE0Y, 3D2R.
 *
 * @see The prefixes of the ARRL DXCC list, and of ITU Radio Regulations, appendix 42: table of allocation of series.
 */
const REMOTE_PREFIX = anyOf(
  "[ACDEHJLPSTVYZ][2-9] T3[0-3] H40", // series of a letter and a digit: C6 Bahamas, A6 Emirates
  "3B[6-9] 3C0 3D2 3Y0 (?:3G|C[A-E]|X[QR])0 (?:CE|XR)9", // Agalega, Annobon, Fiji, Bouvet, Easter Island, Antarctica
  "(?:4[A-C]|6[D-J]|X[A-I])4 (?:4M|Y[V-Y])0 (?:5[JK]|H[JK])0", // Revillagigedo, Aves, San Andres
  "(?:AX|V[IKZ])[09] Z[LM][5789] Z[R-U]8 ZS7", // islands of Australia, New Zealand, South Africa
  "B[M-X]9 BS7 9M0 CY[09] FT[0-9] (?:P[P-Y]|Z[V-Z])0 T[EI]9", // of Taiwan, China, Canada, France, Brazil, Costa Rica
  "VP[0-9] V[Q]9 VU[47] XX9 ZB2 ZC4 ZD[789] ZF[12] ZK[123]", // of the United Kingdom, India, Macao, New Zealand
);

/** The same where stations often have a suffix of one letter: KP2M, EA8A. */
const ISLAND_PREFIX = anyOf(
  "[AKNW]H[0-9] [AKNW]P[1-5] KG4", // of the United States
  "A[MNO][689] E[A-H][689] C[Q-T][39] I[MS]0 S[V-Z][59]", // of Spain, Portugal, Italy, Greece
  "O[F-I]0 OJ0 HB0 HE0 H[CD]8 JD1 PJ[0-9] 9[MW][68]", // Aland, Liechtenstein, Galapagos, Ogasawara, Curacao, East Malaysia
);

/** A pattern of one letter behind any of the prefixes, which are separated by blanks. */
function anyOf(...prefixes: string[]): RegExp {
  return new RegExp(`^(?:${prefixes.join(" ").replaceAll(" ", "|")})[A-Z]$`);
}
