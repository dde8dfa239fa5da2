/**
 * Splits a callsign such as HC2/DH1TW/P into the station's own call, the place and the activity.
 *
 * Text only: without a table, each place is a candidate; `lookup/prefix-searches` orders them.
 */
import { isFullCall, ownArea } from "./form.js";
import { ownCall } from "./own-call.js";
import { suffixMeaning, type SuffixMeaning } from "./suffix.js";
import { isUsTerritory } from "./us-calls.js";

export interface ParsedCallsign {
  /** The station's own call: DH1TW. */
  readonly call: string;
  /** The part before the call, which may name the place: HC2. */
  readonly before: string | undefined;
  /** The part behind the call, which may name the place: the KH6 of W1AW/KH6. */
  readonly after: string | undefined;
  /** A prefix that is written with a slash inside: the 3D2/R of 3D2/R/DL1ABC. */
  readonly slashed: string | undefined;
  /** The digit of another call area than the call's own: the 6 of W1AW/6 and W1AW/P6. */
  readonly area: string | undefined;
  readonly mobile: "maritime" | "aeronautical" | undefined;
  readonly beacon: boolean;
  /** The callsign without suffixes that leave the station where it is: HC2/DH1TW for HC2/DH1TW/QRP, UA9WAB for UA9WAB/9. */
  readonly station: string;
  /** The suffixes are activities, and no part names a place: VK9DLX/P. */
  readonly activityOnly: boolean;
}

/** Of a prefix before a call that is not a call itself: VP2E/DL1ABC. */
const MAX_PREFIX_LENGTH = 4;

/**
 * The parsed callsign; `undefined` where no part has the form of a call.
 *
 * @param callsign Normalized, without SSID.
 */
export function parseCallsign(callsign: string): ParsedCallsign | undefined {
  const parts = partsOf(callsign);
  if (parts.includes("") || callsign.includes("-")) return undefined;

  const [first = "", second = ""] = parts;
  const meanings: SuffixMeaning[] = ["place"];
  const named = [first];
  let area: string | undefined;
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index] ?? "";
    const meaning = partMeaning(part);
    meanings.push(meaning);
    if (meaning === "place") named.push(part);
    if (meaning === "area") area = part.at(-1);
  }
  const own = ownCall(named);
  if (own === undefined) return undefined;

  const position = named.indexOf(own);
  // An index below 0 is looked up by its name, which is slow.
  const before = position === 0 ? undefined : named[position - 1];
  const after = named[position + 1];
  if (named.length > 3 || !isPlaceLike(before) || !isPlaceLike(after)) return undefined;

  // Calls of the United States' territories have no areas: KH6ABC/6 is in the sixth area of the mainland.
  if (area !== undefined && area === ownArea(own) && !isUsTerritory(own)) area = undefined;
  let station = first;
  for (let index = 1; index < parts.length; index++)
    if (!stays(meanings[index], area)) station += `/${parts[index]}`;
  return {
    call: own,
    before,
    after,
    slashed: position > 0 && /^[A-Z]$/.test(second) ? `${first}/${second}` : undefined,
    area,
    mobile: meanings.find((meaning) => meaning === "maritime" || meaning === "aeronautical"),
    beacon: meanings.includes("beacon"),
    station,
    activityOnly: named.length === 1 && area === undefined,
  };
}

/** As `split` does, in half the time: a normalized callsign is short. */
function partsOf(text: string): string[] {
  const slash = text.indexOf("/");
  return slash < 0 ? [text] : [text.slice(0, slash), ...partsOf(text.slice(slash + 1))];
}

/** The meaning of a part behind the first one: a call may name the place, any other part means what it does as a suffix. */
export function partMeaning(part: string): SuffixMeaning {
  return isFullCall(part) ? "place" : suffixMeaning(part);
}

/** Suffixes that leave the station where it is, the digit of its own area among them. */
function stays(meaning: SuffixMeaning | undefined, area: string | undefined): boolean {
  return meaning === "beacon" || meaning === "same-station" || (meaning === "area" && area === undefined);
}

function isPlaceLike(part: string | undefined): boolean {
  return part === undefined || part.length <= MAX_PREFIX_LENGTH || isFullCall(part);
}
