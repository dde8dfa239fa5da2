/** A callsign as it is compared: upper case, no blanks around it, made of A-Z, 0-9, `/` and `-` alone. */

/** Longer texts are no callsigns. The longest real ones, with prefix, suffixes and SSID, have about 20 characters. */
const MAX_LENGTH = 30;

/**
 * The callsign in its compared form, or `undefined` where a character can't be part of any callsign.
 *
 * Only ASCII letters are raised: `toUpperCase` alone would turn "ß" into "SS" and "ı" into "I".
 */
export function normalizeCallsign(text: string): string | undefined {
  if (isNormal(text)) return text;
  const raised = text.trim().replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  return isNormal(raised) ? raised : undefined;
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
