/**
 * The ways to read where a callsign is, the best first. The first one that a table has an entry for counts.
 *
 * They depend on the text alone, so that a store can be asked for all of them at once.
 */
import { areaBlocks, isFullCall } from "../callsign/form.js";
import type { ParsedCallsign } from "../callsign/parse.js";
import { areaText } from "./area-rules.js";
import type { Moment } from "./ports.js";

/** One reading: the longest prefix of a text. */
export interface Reading {
  readonly text: string;
  /** The prefix must have this many characters at least; the text's own length asks for all of it. */
  readonly shortest: number;
  /** The reading counts only where one of these is a prefix. */
  readonly provided?: readonly string[];
}

const DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;

/** Where a parsed callsign may be, the best reading first. */
export function placeReadings(parsed: ParsedCallsign, at: Moment): Reading[] {
  const { call, before, after, slashed, area } = parsed;
  const readings: Reading[] = [];
  if (slashed !== undefined) readings.push(...inside(slashed));
  if (after !== undefined) readings.push(...behind(after, call));
  if (before !== undefined) readings.push(...inFront(before, call));
  // With a prefix that is not known the place is not known: the call's own country is just where it isn't.
  else {
    if (area !== undefined) readings.push(...inArea(call, area));
    readings.push(own(call, at));
  }
  return readings;
}

/** The call's own country. */
function own(call: string, at: Moment): Reading {
  return longest(areaText(call, at));
}

/** Without a digit only a whole prefix is meant: the FD of /FD is a field day and not the F of France. */
function behind(after: string, call: string): Reading[] {
  if (isFullCall(after)) return eitherCall(after, call);
  return [/[0-9]/.test(after) ? longest(after) : whole(after)];
}

function inFront(before: string, call: string): Reading[] {
  return isFullCall(before) ? eitherCall(before, call) : [longest(before)];
}

/** RT9V/W2PE: both look like calls, and the one that is a prefix as it stands is the place. */
function eitherCall(place: string, call: string): Reading[] {
  return [whole(place), whole(call), longest(place)];
}

/** 3D2/R is a prefix as it stands, or, where the data writes it so, VK9/M without its slash. */
function inside(slashed: string): Reading[] {
  const joined = slashed.replace("/", "");
  return /[0-9]\//.test(slashed) ? [whole(slashed), whole(joined)] : [whole(slashed)];
}

/**
 * W1AW/6 is in the sixth area: its digit is exchanged, where digits name areas. They do behind letters that are a prefix by
 * themselves (W, EA), and behind UA, which goes with several digits; not in JD1, IT9 or the A6 of the Emirates.
 */
function inArea(call: string, digit: string): Reading[] {
  if (US_TERRITORY.test(call)) return [{ text: `K${digit}`, shortest: 1 }];
  return areaBlocks(call).map((block) => {
    const siblings = DIGITS.map((other) => block + other).filter((text) => !call.startsWith(text));
    // KG4 alone is no area of KG.
    const text = block + digit === "KG4" ? "K4" : block + digit;
    return { text, shortest: 1, provided: [block, ...(block.length > 1 ? siblings : [])] };
  });
}

/**
 * Hawaii, Alaska, Puerto Rico and the islands: their digits name islands and not areas. KH6ABC/4 is on the mainland, as
 * the country files have it for 245 of the 246 such calls that they list, and not on Midway.
 */
const US_TERRITORY = /^[AKNW][HLP][0-9]/;

function longest(text: string): Reading {
  return { text, shortest: 1 };
}

function whole(text: string): Reading {
  return { text, shortest: text.length };
}
