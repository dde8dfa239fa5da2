/** The form of callsigns, whether or not their prefix was ever assigned. */

/**
 * Prefix of one or two letters, after at most one digit; one to four digits (contest and jubilee calls have several);
 * a suffix of up to nine letters, or one with digits inside such as the M0N of OE9M0N.
 *
 * @see ITU Radio Regulations, article 19, section III: formation of call signs.
 */
const FULL_CALL = /^([0-9]?[A-Z]{1,2})([0-9]{1,4})(?:[A-Z]{1,9}|[A-Z]{1,2}[0-9]{0,3}[A-Z]{0,5})$/;

/** Calls on the air without this form, and the prefix whose data applies to them. */
const FORMLESS_CALLS: ReadonlyMap<string, string> = new Map([
  ["7QAA", "7Q"], // Malawi
  ["RAEM", "RA"], // Ernst Krenkel, polar explorer
  ["2SZ", "G"], // Mill Hill School, the first British school station; its prefix is older than call areas
]);

/** Whether the text has the form of a complete callsign. */
export function isFullCall(text: string): boolean {
  return FULL_CALL.test(text) || FORMLESS_CALLS.has(text);
}

/** The text whose prefix decides the country of a call: the call itself, but for the few without its form. */
export function prefixText(call: string): string {
  return FORMLESS_CALLS.get(call) ?? call;
}

/**
 * The part of a call before the digit of the call area, the likeliest first: "W" of W1AW, "UA" of UA9AAA,
 * "W" and "W10" of W100AW (a jubilee, or a prefix with digits), "E" and "E5" of E51ABC.
 *
 * None for a text without such a digit.
 */
export function areaBlocks(call: string): string[] {
  const match = FULL_CALL.exec(call);
  if (match === null) return [];
  const [, letters = "", digits = ""] = match;
  return digits.length === 1 ? [letters] : [letters, letters + digits.slice(0, -1)];
}

/**
 * How likely a full call is a station's own rather than a prefix: the length of the letters after its digits.
 * W1AW (2) is a station, VK9X (1) the prefix of an island.
 */
export function ownCallRank(call: string): number {
  const [suffix = ""] = /[A-Z]+$/.exec(call) ?? [];
  return suffix.length;
}
