/**
 * The parts of a callsign such as HC2/DH1TW/P: whose call it is, where it says it is, what it says it does.
 *
 * Pure text: no table is asked here, so a place is what may be one; `lookup/readings` puts them in order.
 */
import { isFullCall, ownCallRank } from "./form.js";
import { suffixMeaning, type SuffixMeaning } from "./suffix.js";

export interface ParsedCallsign {
  /** The station's own call: DH1TW. */
  readonly call: string;
  /** What stands before the call and may name the place: HC2. */
  readonly before: string | undefined;
  /** What stands behind the call and may name the place: the KH6 of W1AW/KH6. */
  readonly after: string | undefined;
  /** A prefix that is written with a slash inside: the 3D2/R of 3D2/R/DL1ABC. */
  readonly slashed: string | undefined;
  /** The digit of the call area: the 6 of W1AW/6. */
  readonly area: string | undefined;
  readonly mobile: "maritime" | "aeronautical" | undefined;
  readonly beacon: boolean;
  /** The callsign without what leaves the station where it is: HC2/DH1TW for HC2/DH1TW/QRP. */
  readonly station: string;
}

/** A prefix before a call has four characters at the most (VP2E/DL1ABC), if it is not a call itself. */
const MAX_PREFIX_LENGTH = 4;

/**
 * The parts of a callsign, or `undefined` where none of them has the form of a call.
 *
 * @param callsign Normalized, without SSID.
 */
export function parseCallsign(callsign: string): ParsedCallsign | undefined {
  const [first = "", ...rest] = callsign.split("/");
  if (first === "" || rest.includes("") || callsign.includes("-")) return undefined;

  const meanings = rest.map((part) => (isFullCall(part) ? "place" : suffixMeaning(part)));
  const named = [first, ...rest.filter((_, index) => meanings[index] === "place")];
  const own = ownCall(named);
  if (own === undefined) return undefined;

  const position = named.indexOf(own);
  const before = named[position - 1];
  const after = named[position + 1];
  if (named.length > 3 || !isPlaceLike(before) || !isPlaceLike(after)) return undefined;

  const mobile = meanings.find((meaning) => meaning === "maritime" || meaning === "aeronautical");
  const slashed = position > 0 && /^[A-Z]$/.test(rest[0] ?? "") ? `${first}/${rest[0]}` : undefined;
  return {
    call: own,
    before,
    after,
    slashed,
    area: rest[meanings.lastIndexOf("area")],
    mobile,
    beacon: meanings.includes("beacon"),
    station: [first, ...rest.filter((_, index) => !STAYS.has(meanings[index]))].join("/"),
  };
}

const STAYS: ReadonlySet<SuffixMeaning | undefined> = new Set(["beacon", "same-station"]);

/**
 * The part that is the station's own call: the most call-like one, and of equal ones the later, because a prefix
 * goes before the call.
 */
function ownCall(parts: readonly string[]): string | undefined {
  let own: string | undefined;
  for (const part of parts) {
    if (isFullCall(part) && (own === undefined || ownCallRank(part) >= ownCallRank(own))) own = part;
  }
  return own;
}

function isPlaceLike(part: string | undefined): boolean {
  return part === undefined || part.length <= MAX_PREFIX_LENGTH || isFullCall(part);
}
