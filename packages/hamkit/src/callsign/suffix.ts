/** What the parts behind a call say: `/P`, `/MM`, `/6`, `/QRP`, `/KH6`. */

/** What one part behind a call means. */
export type SuffixMeaning =
  /** At sea or in the air: in no country. */
  | "maritime"
  | "aeronautical"
  | "beacon"
  /** The call area it works from. */
  | "area"
  /** Something about the activity that leaves the station where it is at home (QRP). */
  | "same-station"
  /** Something about the activity, maybe away from home (/P, /M, lighthouses, programs). */
  | "activity"
  /** May be the prefix of the place, or another call. */
  | "place";

const MEANINGS: ReadonlyMap<string, SuffixMeaning> = new Map([
  ["MM", "maritime"],
  // With the ITU region it is in.
  ["MM1", "maritime"],
  ["MM2", "maritime"],
  ["MM3", "maritime"],
  ["AM", "aeronautical"],
  ["B", "beacon"],
  ["BCN", "beacon"],
  ["QRP", "same-station"],
  ["QRPP", "same-station"],
  // A station of the United States whose new license class is not in the books yet: 47 CFR 97.119(f).
  ["AE", "same-station"],
  ["AG", "same-station"],
  ["KT", "same-station"],
  // These four are prefixes of Latvia, Indonesia, Argentina and England too. Behind a call they are not:
  // the prefix of a country one visits goes before the call.
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
const LOCATOR = /^[A-R]{2}[0-9]{2}(?:[A-X]{2})?$/;

/** What a part behind a call means, as far as its letters tell. */
export function suffixMeaning(part: string): SuffixMeaning {
  const known = MEANINGS.get(part);
  if (known !== undefined) return known;
  if (part.length === 1) return part >= "A" ? "activity" : "area";
  if (/^[0-9]+$/.test(part) || WORD.test(part) || LOCATOR.test(part)) return "activity";
  return "place";
}
