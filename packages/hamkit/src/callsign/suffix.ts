/** The meaning of suffixes: `/P`, `/MM`, `/6`, `/QRP`, `/KH6`. */

/** The meaning of one suffix. */
export type SuffixMeaning =
  /** At sea or in the air: in no country. */
  | "maritime"
  | "aeronautical"
  | "beacon"
  /** The call area of the station: its last digit. */
  | "area"
  /** An activity that leaves the station at home (QRP). */
  | "same-station"
  /** An activity that may be away from home (/P, /M, lighthouses, programs). */
  | "activity"
  /** May be the prefix of the place, or another call. */
  | "place";

const MEANINGS: ReadonlyMap<string, SuffixMeaning> = new Map([
  ["MM", "maritime"],
  // With the number of the ITU region.
  ["MM1", "maritime"],
  ["MM2", "maritime"],
  ["MM3", "maritime"],
  ["AM", "aeronautical"],
  ["B", "beacon"],
  ["BCN", "beacon"],
  ["QRP", "same-station"],
  ["QRPP", "same-station"],
  // A station of the United States whose new license class is not yet in the database: 47 CFR 97.119(f).
  ["AE", "same-station"],
  ["AG", "same-station"],
  ["KT", "same-station"],
  // YL, PM, LT and GA are also prefixes of Latvia, Indonesia, Argentina and England, but the prefix of a visited country
  // goes before the call.
  ["YL", "activity"], // young lady
  ["PM", "activity"], // pedestrian mobile
  ["LT", "activity"], // light tower
  ["GA", "activity"], // group activity
  ["LH", "activity"], // lighthouse
  ["LS", "activity"], // lightship
  ["HQ", "activity"], // headquarters of a society, not Honduras
]);

/** Three letters in a row name a program, a county, a locality or an event: IOTA, UAL, PORT. */
const WORD = /[A-Z]{3}/;
/** Letters and a year, or another number of an event: the SO2005 of JE2OOQ/SO2005. */
const EVENT = /^[A-Z]+[0-9]{3,}$/;
/**
 * Portable in a call area: JL3VUL/P3. P2, P4 and P5 are the prefixes of visitors of Papua New Guinea, Aruba and North Korea. Those of
 * Cyprus write 5B, though P3 is one of its series, and no operation with P6 to P9 is known.
 */
const PORTABLE_IN_AREA = /^P[0136-9]$/;
const LOCATOR = /^[A-R]{2}[0-9]{2}(?:[A-X]{2})?$/;

/** The meaning of a suffix, by its characters alone. */
export function suffixMeaning(part: string): SuffixMeaning {
  const known = MEANINGS.get(part);
  if (known !== undefined) return known;
  if (part.length === 1) return part >= "A" ? "activity" : "area";
  if (PORTABLE_IN_AREA.test(part)) return "area";
  if (/^[0-9]+$/.test(part) || WORD.test(part) || EVENT.test(part) || LOCATOR.test(part)) return "activity";
  return "place";
}
