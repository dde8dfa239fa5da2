/** Which callsigns' entries hold for a callsign. */
import { parseCallsign } from "../callsign/parse.js";
import { askedCallsign } from "./asked-callsign.js";

/**
 * The calls of which an entry tells about the station, the best first: the callsign itself, and without suffixes such as /B
 * and /QRP that leave the station where it is. None, where the text is no callsign.
 *
 * @throws {ArgumentTypeError} It is no string.
 */
export function entryCalls(text: string): readonly string[] {
  const callsign = askedCallsign(text);
  if (callsign === undefined) return [];
  return [...new Set([callsign, parseCallsign(callsign)?.station ?? callsign])];
}
