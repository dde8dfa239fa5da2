/** Finds the station's own call in a text. */
import { CallsignError } from "../errors.js";
import { isFullCall } from "./form.js";
import { normalizeCallsign, withoutSsid } from "./normalize.js";
import { parseCallsign } from "./parse-callsign.js";

const SLASH = "/";

/**
 * The call without the prefix of a visited country and without activity suffixes. A call that lacks its suffix or its digit, such
 * as 4UNR, counts only where the text is nothing else.
 *
 * @throws {CallsignError} No part of the text has the form of a callsign.
 */
export function homeCall(text: string): string {
  for (const [word] of text.matchAll(/[A-Za-z0-9/]+/g)) {
    const call = callIn(withoutOuterSlashes(word));
    if (call !== undefined && isFullCall(call)) return call;
  }
  const call = callIn(text);
  if (call !== undefined) return call;
  throw new CallsignError({ argument: "callsign", value: text, expected: "a text with a callsign in it" });
}

function callIn(text: string): string | undefined {
  const callsign = normalizeCallsign(text);
  return callsign === undefined ? undefined : parseCallsign(withoutSsid(callsign))?.call;
}

function withoutOuterSlashes(word: string): string {
  let start = 0;
  let end = word.length;
  while (word[start] === SLASH) start++;
  while (end > start && word[end - 1] === SLASH) end--;
  return word.slice(start, end);
}
