/** The normalized form of callsigns: upper case without surrounding blanks, of A-Z, 0-9, `/` and `-`. */

/** The longest real ones, with prefix, suffixes and SSID, have about 20 characters. */
const MAX_LENGTH = 30;

/** What nodes append to the call of a spotter: of a skimmer, of a web user. */
const SPOTTER_MARK = /-[#@]$/;

/** The mark of a spotter at the end of a callsign: "-#" or "-@"; "" for none. */
export function spotterMark(text: string): string {
  return SPOTTER_MARK.exec(text.trim())?.[0] ?? "";
}

/**
 * The normalized callsign, without the mark of a spotter; `undefined` for a text with other characters, or a longer one.
 *
 * Only ASCII letters become upper case: `toUpperCase` alone would turn "ß" into "SS" and "ı" into "I".
 */
export function normalizeCallsign(text: string): string | undefined {
  if (isNormal(text)) return text;
  const upper = text
    .trim()
    .replace(SPOTTER_MARK, "")
    .replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  return isNormal(upper) ? upper : undefined;
}

/**
 * The callsign without the SSID ("-9") that packet radio and skimmers append: a hyphen and one to three digits.
 *
 * @param callsign A normalized callsign.
 */
export function withoutSsid(callsign: string): string {
  return callsign.includes("-") ? callsign.replaceAll(/-[0-9]{1,3}(?=\/|$)/g, "") : callsign;
}

function isNormal(text: string): boolean {
  const { length } = text;
  if (length === 0 || length > MAX_LENGTH) return false;
  for (let index = 0; index < length; index++) {
    if (!isCallsignCharacter(text.charCodeAt(index))) return false;
  }
  return true;
}

/** Hyphen 45, slash 47, digits 48-57, letters 65-90. */
function isCallsignCharacter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 47 && code <= 57) || code === 45;
}
