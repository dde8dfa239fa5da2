/** Prefixes by the rules of CQ WPX. */
import { isFullCall } from "../../callsign/form.js";
import { normalizeCallsign, withoutSsid } from "../../callsign/normalize.js";
import { parseCallsign, type ParsedCallsign } from "../../callsign/parse-callsign.js";
import { suffixMeaning } from "../../callsign/suffix.js";

/** A block of a letter and a digit, and the area behind it: the A4 and 5 of A45XR. The letters are prefixes by themselves. */
const LETTER_DIGIT_AREA = /^([ACDEHJLO-QSTVX-Z][0-9])[0-9]$/;
/** A call without a digit, such as RAEM, XEFTJW or 4UNR. */
const UNNUMBERED = /^(?:[A-Z]{4,7}|[2-9][A-Z]{3,6})$/;

/**
 * The prefix of a callsign that counts for WPX.
 *
 * Letters and digits up to the last digit of the prefix; of a call without a digit the first two characters and 0. The prefix of
 * a visited place replaces it, with 0 behind it if it has no digit; the digit of another call area replaces the digit. Suffixes
 * such as /P, /MM and /QRP are no prefixes.
 *
 * @param callsign Any text; lower case and surrounding blanks are accepted.
 * @returns The prefix in upper case; `undefined` for a text that is no callsign.
 * @see CQ WPX award rules, as in `AWARD_RULES` under `wpx`.
 * @example
 * wpxPrefix("HG19ABC"); // => "HG19"
 * wpxPrefix("G4ABC/W4"); // => "W4"
 * wpxPrefix("PA/N8BJQ"); // => "PA0"
 * wpxPrefix("K1ABC/4"); // => "K4"
 * wpxPrefix("RAEM"); // => "RA0"
 */
export function wpxPrefix(callsign: string): string | undefined {
  const text = typeof callsign === "string" ? normalizeCallsign(callsign) : undefined;
  if (text === undefined) return undefined;
  // Nearly all calls; parsing would take most of the time of counting a log.
  if (isFullCall(text)) return ownPrefix(text);
  const call = withoutSsid(text);
  const parsed = parseCallsign(call);
  if (parsed === undefined) return unnumberedPrefix(call);
  const place = placePrefix(parsed);
  if (place !== undefined) return parsed.area === undefined ? place : withArea(place, parsed.area);
  const own = ownPrefix(parsed.call);
  return parsed.area === undefined ? own : withArea(own, parsed.area);
}

/** VP2 of VP2E, KH9, PA0 of PA. */
function placePrefix({ before, after }: ParsedCallsign): string | undefined {
  const place = before ?? after;
  return place === undefined ? undefined : (numberedPrefix(place) ?? `${place}0`);
}

function ownPrefix(call: string): string {
  return numberedPrefix(call) ?? `${call.slice(0, 2)}0`;
}

/**
 * Letters and digits up to the last digit of the prefix: HG19 of HG19ABC, OE9 of OE9M0N. `undefined` for a text with a leading
 * digit alone, such as 9A or 4UNR.
 */
function numberedPrefix(text: string): string | undefined {
  let letters = 0;
  while (letters < text.length && !isLetter(text, letters)) letters++;
  let digits = letters;
  while (digits < text.length && isLetter(text, digits)) digits++;
  let end = digits;
  while (end < text.length && !isLetter(text, end)) end++;
  return end > digits ? text.slice(0, end) : undefined;
}

function isLetter(text: string, index: number): boolean {
  return text.charCodeAt(index) >= LETTER_A;
}

/** Digits come before letters. */
const LETTER_A = 0x41;

/** K4 of K1 and 4, A40 of A45 and 0, HG3 of HG19 and 3. */
function withArea(prefix: string, area: string): string {
  const block = LETTER_DIGIT_AREA.exec(prefix)?.[1];
  return `${block ?? prefix.replace(/[0-9]+$/, "")}${area}`;
}

/** RA0 of RAEM and RAEM/P, PA0 of PA/RAEM. Too rare for `parseCallsign`, which would take words for callsigns. */
function unnumberedPrefix(callsign: string): string | undefined {
  const [first = "", ...rest] = callsign.split("/");
  if (UNNUMBERED.test(first) && rest.every((part) => part !== "" && suffixMeaning(part) !== "place"))
    return ownPrefix(first);
  return undefined;
}
