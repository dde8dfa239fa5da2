/**
 * Everything that a table may be asked for on the way to a callsign's country.
 *
 * It depends on the text and the moment alone: a source that is expensive to ask is asked for all of it at once, and
 * `identifyAt` then runs over what came back.
 */
import { isFullCall } from "../callsign/form.js";
import { normalizeCallsign, withoutSsid } from "../callsign/normalize.js";
import { parseCallsign } from "../callsign/parse.js";
import { areaText } from "./area-rules.js";
import type { Moment } from "./ports.js";
import { placeReadings, type Reading } from "./readings.js";

/** A part of a table that has keys. */
export type TableSection = "calls" | "prefixes" | "invalidOperations" | "zoneExceptions";

/** Keys by the section of a table that they are looked up in. A key may be there twice. */
export type CandidateKeys = Readonly<Record<TableSection, readonly string[]>>;

/** What `identifyAt` may ask a table; `undefined` for a text that no table needs to be asked for. */
export function candidateKeys(text: string, at: Moment): CandidateKeys | undefined {
  const normal = normalizeCallsign(text);
  if (normal === undefined) return undefined;
  const callsign = withoutSsid(normal);
  const lists = { invalidOperations: [callsign], zoneExceptions: [callsign] };
  if (!callsign.includes("/")) {
    const prefixes = isFullCall(callsign) ? prefixesOf({ text: areaText(callsign, at), shortest: 1 }) : [];
    return { calls: [callsign], prefixes, ...lists };
  }
  const parsed = parseCallsign(callsign);
  // A station at sea or in the air is in no country, whatever a table says.
  if (parsed?.mobile !== undefined) return { calls: [], prefixes: [], ...lists };
  return {
    calls: parsed === undefined ? [callsign] : [callsign, parsed.station],
    prefixes: parsed === undefined ? [] : placeReadings(parsed, at).flatMap(prefixesOf),
    ...lists,
  };
}

/** The prefixes that a reading may come down to, and those that it is provided for. */
function prefixesOf({ text, shortest, provided = [] }: Reading): string[] {
  const prefixes = [...provided];
  for (let length = shortest; length <= text.length; length++) prefixes.push(text.slice(0, length));
  return prefixes;
}
