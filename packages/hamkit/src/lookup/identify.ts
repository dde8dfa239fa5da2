/** Identifies callsigns in a table: follows the lookup plan through its entries. */
import { beginsAsShip } from "../callsign/mobile.js";
import { isSharedPrefix } from "../callsign/shared-prefixes.js";
import { ArgumentTypeError, ValueError } from "../errors.js";
import { followPlan, type PlanSteps } from "./lookup-plan.js";
import type { Identification, IdentifiedCallsign, Moment, SearchedTable, TableSource } from "./source.js";
import { INVALID_RECORD, isMobileRecord, MOBILE_RECORDS, type CallsignRecord } from "./record.js";

/** The table to search, and the moment. */
export interface IdentifyOptions {
  /** The data to search, such as `await loadEmbeddedCountryFile()`. */
  readonly table: TableSource;
  /** The moment to answer for; now when left out or `null`. */
  readonly at?: Date | null | undefined;
}

const UNKNOWN: Identification = Object.freeze({ kind: "unknown" });
const INVALID: Identification = Object.freeze({ kind: "invalid-operation" });

/**
 * Identifies a callsign in a table. Unknown callsigns are a value, not an error.
 *
 * The entry of the whole call decides first, then the place that a prefix or suffix names (HC2/DH1TW, W1AW/KH6), then the
 * call area behind a slash (W1AW/6), then the call's own prefix, the longest first.
 *
 * @param callsign Any text; surrounding blanks, lower case and SSIDs (DH1TW-9) are accepted.
 * @returns The frozen record and what matched, or "invalid-operation" (doesn't count for DXCC), or "unknown".
 * @throws {ArgumentTypeError} The callsign is not a string, or the table is missing.
 * @throws {ValueError} `at` is not a valid date.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * const answer = identify("HC2/DH1TW", { table });
 * answer.kind === "identified" && answer.record.country; // => "Ecuador"
 */
export function identify(callsign: string, options: IdentifyOptions): Identification {
  return identifyAt(callsign, tableOf(options), momentOf(options.at));
}

/**
 * The identifications of many callsigns, in their order.
 *
 * @throws {ArgumentTypeError} One of the callsigns is not a string, or the table is missing.
 * @throws {ValueError} `at` is not a valid date.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * identifyMany(["DH1TW", "??"], { table }).map((answer) => answer.kind); // => ["identified", "unknown"]
 */
export function identifyMany(callsigns: Iterable<string>, options: IdentifyOptions): Identification[] {
  const table = tableOf(options);
  const moment = momentOf(options.at);
  return Array.from(callsigns, (callsign) => identifyAt(callsign, table, moment));
}

function tableOf(options: IdentifyOptions | undefined): TableSource {
  return requireTable(options?.table);
}

/**
 * The argument, if it is a table.
 *
 * @throws {ArgumentTypeError} It is another value, such as the promise of `createCountryFile` without an `await`.
 */
export function requireTable(table: TableSource | undefined): TableSource {
  if (typeof table?.longestPrefix === "function") return table;
  const isPromise = Object.prototype.toString.call(table) === "[object Promise]";
  const expected = `a table, such as a loaded country file${isPromise ? "; it is a promise: await it" : ""}`;
  throw new ArgumentTypeError({ argument: "table", value: table, expected });
}

/** The milliseconds of a `Date`; now when it is left out or `null`. */
export function momentOf(at: Date | null | undefined, argument = "at"): Moment {
  if (at === undefined || at === null) return Date.now();
  const moment = isDate(at) ? at.getTime() : Number.NaN;
  if (Number.isNaN(moment)) throw new ValueError({ argument, value: at, expected: "a valid Date" });
  return moment;
}

/** Whether a value is a `Date`, also one of another window. */
function isDate(value: unknown): value is Date {
  return value instanceof Date || Object.prototype.toString.call(value) === "[object Date]";
}

/** The identification by a table at a moment that has been checked. */
export function identifyAt(text: string, table: SearchedTable, at: Moment): Identification {
  if (typeof text !== "string") {
    throw new ArgumentTypeError({ argument: "callsign", value: text, expected: "a string" });
  }
  return followPlan(text, at, SEARCH, table) ?? UNKNOWN;
}

/** The steps of the lookup plan, each a search of the table. */
export const SEARCH: PlanSteps<SearchedTable, IdentifiedCallsign, Identification> = {
  invalidOperation: (callsign, at, table) => (table.isInvalidOperation?.(callsign, at) ? INVALID : undefined),
  call(call, at, table) {
    const record = table.exact(call, at);
    return record && identified(record, "callsign", call, table);
  },
  station(call, mayBeAway, at, table) {
    const record = table.exact(call, at);
    if (record === undefined) return undefined;
    const isShared = isSharedPrefix(call, record.adif);
    if (mayBeAway && !isShared) return undefined;
    const found = identified(record, "callsign", call, table);
    return isShared ? { ...found, assumed: true } : found;
  },
  prefix({ text, minLength, requiresOneOf }, at, table) {
    if (requiresOneOf && !requiresOneOf.some((prefix) => table.prefix(prefix, at) !== undefined)) {
      return undefined;
    }
    const found = table.longestPrefix(text, at, minLength);
    // Ships of Canada and Liberia, for which country files have no entry of their own.
    // Records of land alone have a continent; prefixes that are assigned to no country don't.
    if (found?.record.continent && beginsAsShip(text))
      return identified(MOBILE_RECORDS.maritime, "prefix", text.slice(0, 3), table);
    return found && identified(found.record, "prefix", text.slice(0, found.length), table);
  },
  mobile: (kind, table) =>
    identified(MOBILE_RECORDS[kind], "suffix", kind === "maritime" ? "MM" : "AM", table),
  beacon: (found) =>
    found.record === INVALID_RECORD
      ? found
      : { ...found, record: Object.freeze({ ...found.record, beacon: true }) },
  result(found, callsign, at, table) {
    if (found === undefined) return UNKNOWN;
    if (found.record === INVALID_RECORD) return INVALID;
    return table.zoneException === undefined ? found : withLists(found, callsign, table, at);
  },
};

function identified(
  record: CallsignRecord,
  matchedBy: IdentifiedCallsign["matchedBy"],
  match: string,
  { name }: SearchedTable,
): IdentifiedCallsign {
  return { kind: "identified", record, matchedBy, match, source: name };
}

/** The identification with the CQ zone exception of the callsign and the whitelist of its entity. */
function withLists(
  found: IdentifiedCallsign,
  callsign: string,
  table: SearchedTable,
  at: Moment,
): IdentifiedCallsign {
  // A station at sea or in the air has no zone.
  const { record } = found;
  const zone = isMobileRecord(record) ? undefined : table.zoneException?.(callsign, at);
  const zoned =
    zone === undefined || isMobileRecord(record)
      ? found
      : { ...found, record: Object.freeze({ ...record, cqz: zone }) };
  const isUnlisted =
    (found.matchedBy === "prefix" || found.assumed) && table.needsEntry?.(found.record.adif, at);
  return isUnlisted ? { ...zoned, needsEntry: true } : zoned;
}
