/**
 * The keys that identifying a callsign may ask a table for.
 *
 * A source that is slow to ask is asked for all of them at once, and `identifyAt` then searches the reply.
 */
import { followPlan, type PlanSteps } from "./lookup-plan.js";
import type { Moment } from "./source.js";

/** A part of a table that has keys. */
export type TableSection = "calls" | "prefixes" | "invalidOperations" | "zoneExceptions";

/** Keys by the section of a table that they are looked up in. A key may occur twice. */
export type CandidateKeys = Readonly<Record<TableSection, readonly string[]>>;

/** `undefined` for a text that cannot be a callsign. */
export function candidateKeys(text: string, at: Moment): CandidateKeys | undefined {
  return followPlan(text, at, COLLECT, {
    calls: [],
    prefixes: [],
    invalidOperations: [],
    zoneExceptions: [],
  });
}

const COLLECT: PlanSteps<Record<TableSection, string[]>, never, CandidateKeys> = {
  invalidOperation(callsign, _at, keys) {
    keys.invalidOperations.push(callsign);
    return undefined;
  },
  call(call, _at, keys) {
    keys.calls.push(call);
    return undefined;
  },
  station(call, _mayBeAway, _at, keys) {
    keys.calls.push(call);
    return undefined;
  },
  prefix({ text, minLength, requiresOneOf = [] }, _at, keys) {
    keys.prefixes.push(...requiresOneOf);
    for (let length = minLength; length <= text.length; length++) keys.prefixes.push(text.slice(0, length));
    return undefined;
  },
  mobile: () => undefined,
  beacon: (found) => found,
  result(_found, callsign, _at, keys) {
    keys.zoneExceptions.push(callsign);
    return keys;
  },
};
