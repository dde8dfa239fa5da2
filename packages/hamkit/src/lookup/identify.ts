/** Which country a callsign is from, out of a table: the algorithm, without any product's name in it. */
import { isFullCall } from "../callsign/form.js";
import { normalizeCallsign, withoutSsid } from "../callsign/normalize.js";
import { parseCallsign, type ParsedCallsign } from "../callsign/parse.js";
import { ArgumentTypeError, ValueError } from "../errors.js";
import { areaText } from "./area-rules.js";
import type { Identification, IdentifiedCallsign, Moment, SearchedTable, TableSource } from "./ports.js";
import { placeReadings, type Reading } from "./readings.js";
import { INVALID_RECORD, MOBILE_RECORDS, type CallsignRecord } from "./record.js";

/** What to identify callsigns by. */
export interface IdentifyOptions {
  /** The data to search, such as `await loadEmbeddedCountryFile()`. */
  readonly table: TableSource;
  /** The moment for which the answer holds; now when left out. */
  readonly at?: Date;
}

const UNKNOWN: Identification = Object.freeze({ kind: "unknown" });
const INVALID: Identification = Object.freeze({ kind: "invalid-operation" });

/**
 * What a table knows of a callsign, without exceptions on the way: a value for each outcome.
 *
 * An entry for the whole call counts first, then the place that a prefix or suffix names (HC2/DH1TW, W1AW/KH6),
 * then the call area behind a slash (W1AW/6), then the call's own prefix, the longest first.
 *
 * @param callsign Any text; blanks around it, lower case and SSIDs (DH1TW-9) are understood.
 * @returns The frozen record and what matched; or that the operation doesn't count for DXCC; or that there is nothing.
 * @throws {ArgumentTypeError} The callsign is no string, or there is no table.
 * @throws {ValueError} `at` is no valid date.
 * @example
 * const table = await loadEmbeddedCountryFile();
 * const answer = identify("HC2/DH1TW", { table });
 * answer.kind === "identified" && answer.record.country; // => "Ecuador"
 */
export function identify(callsign: string, options: IdentifyOptions): Identification {
  return identifyAt(callsign, tableOf(options), momentOf(options.at));
}

/**
 * The answers for many callsigns, in their order.
 *
 * @throws {ArgumentTypeError} One of the callsigns is no string, or there is no table.
 * @throws {ValueError} `at` is no valid date.
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
  const table = options?.table;
  if (typeof table?.longestPrefix === "function") return table;
  throw new ArgumentTypeError({
    argument: "table",
    value: table,
    expected: "a table, such as a loaded country file",
  });
}

/** A public `Date` as the tables compare it. */
export function momentOf(at: Date | undefined, argument = "at"): Moment {
  if (at === undefined) return Date.now();
  const moment = isDate(at) ? at.getTime() : Number.NaN;
  if (Number.isNaN(moment)) throw new ValueError({ argument, value: at, expected: "a valid Date" });
  return moment;
}

/** A `Date`, also one of another window. */
function isDate(value: unknown): value is Date {
  return value instanceof Date || Object.prototype.toString.call(value) === "[object Date]";
}

/** The answer of a table, whose moment is known to be one. */
export function identifyAt(text: string, table: SearchedTable, at: Moment): Identification {
  if (typeof text !== "string") {
    throw new ArgumentTypeError({ argument: "callsign", value: text, expected: "a string" });
  }
  const normal = normalizeCallsign(text);
  if (normal === undefined) return UNKNOWN;
  const callsign = withoutSsid(normal);
  if (table.isInvalidOperation?.(callsign, at)) return INVALID;

  const found = callsign.includes("/") ? findCompound(callsign, table, at) : findPlain(callsign, table, at);
  if (found === undefined) return UNKNOWN;
  if (found.record === INVALID_RECORD) return INVALID;
  return table.zoneException === undefined ? found : withLists(found, callsign, table, at);
}

/** With what the table's lists say of the callsign or its entity. */
function withLists(
  found: IdentifiedCallsign,
  callsign: string,
  table: SearchedTable,
  at: Moment,
): IdentifiedCallsign {
  const zone = table.zoneException?.(callsign, at);
  const record = zone === undefined ? found.record : Object.freeze({ ...found.record, cqz: zone });
  const isUnlisted = found.matchedBy === "prefix" && table.needsEntry?.(record.adif, at);
  return isUnlisted ? { ...found, record, needsEntry: true } : { ...found, record };
}

function identified(
  record: CallsignRecord,
  matchedBy: IdentifiedCallsign["matchedBy"],
  match: string,
  { name }: SearchedTable,
): IdentifiedCallsign {
  return { kind: "identified", record, matchedBy, match, source: name };
}

/** A callsign without slashes: the entry for it, or its longest prefix. */
function findPlain(callsign: string, table: SearchedTable, at: Moment): IdentifiedCallsign | undefined {
  const record = table.exact(callsign, at);
  if (record !== undefined) return identified(record, "callsign", callsign, table);
  if (!isFullCall(callsign)) return undefined;
  return findReading({ text: areaText(callsign, at), shortest: 1 }, table, at);
}

function findCompound(callsign: string, table: SearchedTable, at: Moment): IdentifiedCallsign | undefined {
  const parsed = parseCallsign(callsign);
  if (parsed?.mobile !== undefined) {
    const match = parsed.mobile === "maritime" ? "MM" : "AM";
    return identified(MOBILE_RECORDS[parsed.mobile], "suffix", match, table);
  }
  const found = findEntry(callsign, parsed, table, at) ?? (parsed && findPlace(parsed, table, at));
  if (found === undefined || !parsed?.beacon) return found;
  return { ...found, record: Object.freeze({ ...found.record, beacon: true }) };
}

/** The entry for the whole callsign, or without suffixes such as /B and /QRP that leave the station where it is. */
function findEntry(
  callsign: string,
  parsed: ParsedCallsign | undefined,
  table: SearchedTable,
  at: Moment,
): IdentifiedCallsign | undefined {
  const calls = parsed === undefined ? [callsign] : [callsign, parsed.station];
  for (const match of calls) {
    const record = table.exact(match, at);
    if (record !== undefined) return identified(record, "callsign", match, table);
  }
  return undefined;
}

function findPlace(parsed: ParsedCallsign, table: SearchedTable, at: Moment): IdentifiedCallsign | undefined {
  for (const reading of placeReadings(parsed, at)) {
    const found = findReading(reading, table, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findReading(
  { text, shortest, provided }: Reading,
  table: SearchedTable,
  at: Moment,
): IdentifiedCallsign | undefined {
  if (provided && !provided.some((prefix) => table.prefix(prefix, at) !== undefined)) return undefined;
  const found = table.longestPrefix(text, at, shortest);
  if (found === undefined) return undefined;
  return identified(found.record, "prefix", text.slice(0, found.length), table);
}
