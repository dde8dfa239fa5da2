/**
 * The lookup plan: what a table is asked to identify a callsign, and in which order.
 *
 * Everything that needs this order follows the plan: the search of a table in memory (`identify.ts`) and the list of keys to
 * fetch from a store (`candidate-keys.ts`). A new rule is a change of the plan alone.
 */
import { isFullCall, isShortenedCall } from "../callsign/form.js";
import { normalizeCallsign, withoutSsid } from "../callsign/normalize.js";
import { parseCallsign, type ParsedCallsign } from "../callsign/parse-callsign.js";
import { ownPrefix, prefixSearches, type PrefixSearch } from "./prefix-searches.js";
import type { Moment } from "./source.js";

/**
 * What is done at each step. A step that returns `undefined` found nothing, and the plan goes on with the next step, so steps
 * that never find anything see the whole plan.
 *
 * Steps are functions of a constant object with their state in `context`, because objects and closures made for each
 * callsign would halve the speed.
 */
export interface PlanSteps<Context, Found, Result> {
  /** The list of operations that don't count for DXCC. A result ends the plan. */
  invalidOperation(callsign: string, at: Moment, context: Context): Result | undefined;
  /** The entry of a whole call. */
  call(call: string, at: Moment, context: Context): Found | undefined;
  /**
   * The entry of a call without suffixes that are in the callsign.
   *
   * @param mayBeAway One of the suffixes may mean that the station is elsewhere (/P): the entry counts only under a prefix that
   *   entities share, where the prefix says less than the entry.
   */
  station(call: string, mayBeAway: boolean, at: Moment, context: Context): Found | undefined;
  prefix(search: PrefixSearch, at: Moment, context: Context): Found | undefined;
  /** A station at sea or in the air is in no country, whatever the table has. */
  mobile(kind: "maritime" | "aeronautical", context: Context): Found | undefined;
  /** The callsign has the suffix of a beacon. */
  beacon(found: Found): Found;
  /** The last step, with the list of zone exceptions. */
  result(found: Found | undefined, callsign: string, at: Moment, context: Context): Result;
}

/** The result of the last step; `undefined`, without any step, for a text that cannot be a callsign. */
export function followPlan<Context, Found, Result>(
  text: string,
  at: Moment,
  steps: PlanSteps<Context, Found, Result>,
  context: Context,
): Result | undefined {
  const normal = normalizeCallsign(text);
  if (normal === undefined) return undefined;
  const callsign = withoutSsid(normal);
  const invalid = steps.invalidOperation(callsign, at, context);
  if (invalid !== undefined) return invalid;
  const found = callsign.includes("/")
    ? findCompound(callsign, at, steps, context)
    : findPlain(callsign, at, steps, context);
  return steps.result(found, callsign, at, context);
}

/** A callsign without slashes: its entry, or its longest prefix. */
function findPlain<Context, Found, Result>(
  callsign: string,
  at: Moment,
  steps: PlanSteps<Context, Found, Result>,
  context: Context,
): Found | undefined {
  const found = steps.call(callsign, at, context);
  if (found !== undefined || !(isFullCall(callsign) || isShortenedCall(callsign))) return found;
  return steps.prefix(ownPrefix(callsign, at), at, context);
}

function findCompound<Context, Found, Result>(
  callsign: string,
  at: Moment,
  steps: PlanSteps<Context, Found, Result>,
  context: Context,
): Found | undefined {
  const parsed = parseCallsign(callsign);
  if (parsed?.mobile !== undefined) return steps.mobile(parsed.mobile, context);
  const found =
    steps.call(callsign, at, context) ?? (parsed && findStation(callsign, parsed, at, steps, context));
  return found !== undefined && parsed?.beacon ? steps.beacon(found) : found;
}

/** The entry of the station without its suffixes, or the prefix that places it. */
function findStation<Context, Found, Result>(
  callsign: string,
  parsed: ParsedCallsign,
  at: Moment,
  steps: PlanSteps<Context, Found, Result>,
  context: Context,
): Found | undefined {
  const { station, call, activityOnly } = parsed;
  if (station !== callsign) {
    const found = steps.station(station, false, at, context);
    if (found !== undefined) return found;
  }
  if (activityOnly && call !== station) {
    const found = steps.station(call, true, at, context);
    if (found !== undefined) return found;
  }
  for (const search of prefixSearches(parsed, at)) {
    const found = steps.prefix(search, at, context);
    if (found !== undefined) return found;
  }
  return undefined;
}
