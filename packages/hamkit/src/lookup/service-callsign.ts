/** Callsigns as services are asked for them. */
import { normalizeCallsign, withoutSsid } from "../callsign/normalize.js";
import { parseCallsign } from "../callsign/parse-callsign.js";
import { ArgumentTypeError } from "../errors.js";

/** Words of letters and digits with slashes between. */
const WORDS = /^[A-Z0-9]+(?:\/[A-Z0-9]+)*$/;

/**
 * The callsign in upper case, without surrounding blanks and SSID; `undefined` for a text that cannot be a callsign, so that no
 * service is asked for it.
 *
 * @throws {ArgumentTypeError} The text is not a string.
 */
export function serviceCallsign(text: string): string | undefined {
  if (typeof text !== "string") {
    throw new ArgumentTypeError({ argument: "callsign", value: text, expected: "a string" });
  }
  const normal = normalizeCallsign(text);
  const callsign = normal === undefined ? "" : withoutSsid(normal);
  return WORDS.test(callsign) ? callsign : undefined;
}

/**
 * The calls whose entry is that of the station, the best first: the callsign, and without suffixes such as /B and /QRP that leave
 * the station where it is. None for a text that cannot be a callsign.
 *
 * @throws {ArgumentTypeError} The text is not a string.
 */
export function stationCallsigns(text: string): readonly string[] {
  const callsign = serviceCallsign(text);
  if (callsign === undefined) return [];
  return [...new Set([callsign, parseCallsign(callsign)?.station ?? callsign])];
}
