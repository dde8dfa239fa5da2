/** The station's own call in a text. */
import { CallsignError } from "../errors.js";
import { parseCallsign } from "./parse.js";

/**
 * The call without the prefix of a visited country and without suffixes of the activity.
 *
 * @throws {CallsignError} No part of the text has the form of a callsign.
 */
export function homeCall(text: string): string {
  const raised = text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
  for (const word of raised.split(/[^A-Z0-9/]+/)) {
    const call = parseCallsign(word.replaceAll(/^\/+|\/+$/g, ""))?.call;
    if (call !== undefined) return call;
  }
  throw new CallsignError({ argument: "callsign", value: text, expected: "a text with a callsign in it" });
}
