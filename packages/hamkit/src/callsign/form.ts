/** The form of callsigns, whether or not their prefix was ever assigned. */

/**
 * Prefix of one or two letters, after at most one digit; one to four digits (contest and jubilee calls have several);
 * a suffix of up to nine letters, or one with digits inside or at its end such as the M0N of OE9M0N and the QRC90 of HD1QRC90.
 *
 * Columns without a blank between them are no call: a suffix of letters is complete, so three letters and more before another
 * digit, with letters behind it, end one call and begin another (W1AWW1AW); so do two letters behind a number (ZP123RV3YR). Two
 * letters behind one or two digits can be the end of one call alone, as in HF0JP2S.
 *
 * @see ITU Radio Regulations, article 19, section III: formation of call signs.
 */
export const FULL_CALL =
  /^([0-9]?[A-Z]{1,2})([0-9]{1,4})([A-Z]{1,9}|(?![A-Z]{3,4}(?:[0-9][A-Z]|[0-9]{2}[A-Z]{2})|(?<=[0-9]{3})[A-Z]{2}[0-9][A-Z]{2})[A-Z]{1,4}[0-9]{1,3}[A-Z]{0,5})$/;

/** Calls on the air without this form, and the prefix whose data applies to them. */
const FORMLESS_CALLS: ReadonlyMap<string, string> = new Map([
  ["7QAA", "7Q"], // Malawi
  ["RAEM", "RA"], // Ernst Krenkel, polar explorer
  ["2SZ", "G"], // Mill Hill School, the first British school station; its prefix is older than call areas
]);

/** Calls without a suffix: jubilee calls such as BV100, and HL22. Grid locators such as JO81 have this form too. */
const WITHOUT_SUFFIX = /^(?:[A-Z]{2}|[2-9][A-Z])[0-9]{2,4}$/;

/** Calls without a digit after a prefix that begins with one: 4UNR, 5UAIHM. Words such as 5WATT have this form too. */
const WITHOUT_AREA = /^[2-9][A-Z]{3,5}$/;

/** Whether the text has the form of a complete callsign. */
export function isFullCall(text: string): boolean {
  return FULL_CALL.test(text) || FORMLESS_CALLS.has(text);
}

/**
 * Whether the text has the form of a callsign that lacks its suffix or its digit. Many suffixes and words have this form, so it
 * counts only where no part of a text is a full call.
 */
export function isShortenedCall(text: string): boolean {
  return WITHOUT_SUFFIX.test(text) || WITHOUT_AREA.test(text);
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

/** Single letters that are a prefix by themselves. Behind other single letters the first digit belongs to the prefix: E5, S5. */
const LETTER_PREFIX = /^[BFGIKMNRUW]$/;

/** The digit of the call's own area: 9 of UA9WAB, 1 of E51ABC, 1 of W100AW; `undefined` for a call without one. */
export function ownArea(call: string): string | undefined {
  const match = FULL_CALL.exec(call);
  if (match === null) return undefined;
  const [, letters = "", digits = ""] = match;
  return letters.length === 1 && digits.length > 1 && !LETTER_PREFIX.test(letters) ? digits[1] : digits[0];
}
