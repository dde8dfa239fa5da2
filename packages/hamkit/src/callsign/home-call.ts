/** Finds the station's own call in a text. */
import { CallsignError } from "../errors.js";
import { normalizeCallsign } from "./normalize.js";
import { parseCallsign } from "./parse.js";

const SLASH = "/";

/**
 * The call without the prefix of a visited country and without activity suffixes.
 *
 * @throws {CallsignError} No part of the text has the form of a callsign.
 */
export function homeCall(text: string): string {
  for (const [word] of text.matchAll(/[A-Za-z0-9/]+/g)) {
    const callsign = normalizeCallsign(withoutOuterSlashes(word));
    const call = callsign && parseCallsign(callsign)?.call;
    if (call) return call;
  }
  throw new CallsignError({ argument: "callsign", value: text, expected: "a text with a callsign in it" });
}

function withoutOuterSlashes(word: string): string {
  let start = 0;
  let end = word.length;
  while (word[start] === SLASH) start++;
  while (end > start && word[end - 1] === SLASH) end--;
  return word.slice(start, end);
}
