/** A callsign as services are asked for it. */
import { normalizeCallsign, withoutSsid } from "../callsign/normalize.js";
import { ArgumentTypeError } from "../errors.js";

/** Words of letters and digits with slashes between. */
const WORDS = /^[A-Z0-9]+(?:\/[A-Z0-9]+)*$/;

/**
 * The callsign in upper case, without blanks around it and SSID; `undefined` for what can't be one, so that no service
 * need be asked for it.
 *
 * @throws {ArgumentTypeError} It is no string.
 */
export function askedCallsign(text: string): string | undefined {
  if (typeof text !== "string") {
    throw new ArgumentTypeError({ argument: "callsign", value: text, expected: "a string" });
  }
  const normal = normalizeCallsign(text);
  const callsign = normal === undefined ? "" : withoutSsid(normal);
  return WORDS.test(callsign) ? callsign : undefined;
}
