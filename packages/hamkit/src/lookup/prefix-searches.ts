/**
 * The prefix searches that may place a callsign, the best first. The first one that finds an entry decides.
 *
 * They depend on the text and the moment alone, so that a store can be asked for the keys of all of them at once.
 */
import { areaBlocks, isFullCall, prefixText } from "../callsign/form.js";
import { isPlacePrefix } from "../callsign/own-call.js";
import type { ParsedCallsign } from "../callsign/parse-callsign.js";
import { isUsState, isUsTerritory } from "../callsign/us-calls.js";
import type { Moment } from "./source.js";

/** The part of a callsign that a search reads the place from. `slashed`: a prefix with a slash inside, such as 3D2/R. */
export type PlaceOrigin = "own" | "area" | "before" | "after" | "slashed";

/** A search for the longest prefix of a text. */
export interface PrefixSearch {
  readonly text: string;
  readonly from: PlaceOrigin;
  /** Shortest prefix that counts; the length of the text asks for all of it. */
  readonly minLength: number;
  /** The search counts only if the table has one of these prefixes. */
  readonly requiresOneOf?: readonly string[];
}

/** The search for the call's own country. */
export function ownPrefix(call: string, at: Moment): PrefixSearch {
  return longest(areaText(call, at), "own");
}

/** The searches that may place a parsed callsign. */
export function prefixSearches(parsed: ParsedCallsign, at: Moment): PrefixSearch[] {
  const { call, before, after, slashed, area } = parsed;
  const searches: PrefixSearch[] = [];
  if (slashed !== undefined) searches.push(...slashedPrefix(slashed));
  if (after !== undefined) searches.push(...prefixAfter(after, call));
  if (before !== undefined) searches.push(...prefixBefore(before, call));
  // Behind an unknown prefix the country is unknown: the station is anywhere but in the call's own.
  else {
    if (area !== undefined) searches.push(...callArea(call, area));
    searches.push(ownPrefix(call, at));
  }
  return searches;
}

/** Without a digit only a whole prefix is meant: the FD of /FD is a field day and not the F of France. */
function prefixAfter(after: string, call: string): PrefixSearch[] {
  if (isFullCall(after)) return eitherCall(after, call, "after", "before");
  if (isUsState(call, after)) return [];
  return [/[0-9]/.test(after) ? longest(after, "after") : whole(after, "after")];
}

function prefixBefore(before: string, call: string): PrefixSearch[] {
  return isFullCall(before) ? eitherCall(before, call, "before", "after") : [longest(before, "before")];
}

/**
 * RT9V/W2PE: both look like calls, and the one that is an entry as a whole is the prefix, unless the text decides (AI5P/VK9N).
 * 3D2R is written as 3D2/R too.
 */
function eitherCall(place: string, call: string, from: PlaceOrigin, other: PlaceOrigin): PrefixSearch[] {
  const slashed = `${place.slice(0, -1)}/${place.slice(-1)}`;
  const alternative = isPlacePrefix(place) ? whole(slashed, from) : whole(call, other);
  return [whole(place, from), alternative, longest(place, from)];
}

/** 3D2/R is a prefix as a whole, or, where the data writes it so, VK9/M without its slash. */
function slashedPrefix(slashed: string): PrefixSearch[] {
  const joined = slashed.replace("/", "");
  const written = whole(slashed, "slashed");
  return /[0-9]\//.test(slashed) ? [written, whole(joined, "slashed")] : [written];
}

const DIGITS = Array.from("0123456789");

/**
 * W1AW/6 is in the sixth area: its digit is replaced, where digits name areas. They do behind letters that are a prefix by
 * themselves (W, EA), and behind UA, which goes with several digits; not in JD1, IT9 or the A6 of the Emirates.
 */
function callArea(call: string, digit: string): PrefixSearch[] {
  if (isUsTerritory(call)) return [longest(`K${digit}`, "area")];
  return areaBlocks(call).flatMap((block): PrefixSearch[] => {
    if (digit === "0" && SHIPS.test(block)) return [];
    if (digit === "0" && CANADA.test(block)) return [whole(block + digit, "area")];
    const siblings =
      block.length > 1 ? DIGITS.map((other) => block + other).filter((text) => !call.startsWith(text)) : [];
    // KG4 alone is no area of KG.
    const text = block + digit === "KG4" ? "K4" : block + digit;
    const requiresOneOf = [block, ...siblings];
    return [{ text, from: "area", minLength: 1, requiresOneOf }];
  });
}

/** Ships under the flags of Canada and Liberia have calls with the digit 0, which is no area of the country. */
const SHIPS = /^(?:V[A-G]|EL)$/;

/** Letters of Canada: 0 is an area behind some of them (VY0, Nunavut), which then are prefixes of their own. */
const CANADA = /^(?:C[F-KYZ]|V[A-GOXY]|X[J-O])$/;

/** From this day on the second letter of a VK9 suffix names the island, as VK9xNx is Norfolk. */
const VK9_BY_SECOND_LETTER = Date.UTC(2006, 0, 1);
const VK9 = /^((?:VK|AX|VI)9)[A-Z]([A-Z])[A-Z]/;

/** KG4 is Guantanamo Bay with two letters behind it; with one or three it is the fourth area of the United States. */
const KG4_OF_THE_STATES = /^KG4(?:[A-Z]|[A-Z]{3,})$/;

/** The text whose longest prefix decides the country of a call: usually the call itself. */
function areaText(call: string, at: Moment): string {
  if (call.startsWith("KG4") && KG4_OF_THE_STATES.test(call)) return "K4";
  if (call.charCodeAt(2) === 57 && at > VK9_BY_SECOND_LETTER) {
    const vk9 = VK9.exec(call);
    if (vk9 !== null) return `${vk9[1]}${vk9[2]}`;
  }
  return prefixText(call);
}

function longest(text: string, from: PlaceOrigin): PrefixSearch {
  return { text, from, minLength: 1 };
}

function whole(text: string, from: PlaceOrigin): PrefixSearch {
  return { text, from, minLength: text.length };
}
