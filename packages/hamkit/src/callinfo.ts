/**
 * `hamkit/callinfo`: country, zones and position of callsigns, from any source.
 *
 * @module hamkit/callinfo
 */
import { homeCall } from "./callsign/home-call.js";
import { ArgumentTypeError, KeyError } from "./errors.js";
import type { Logger } from "./io/default-logger.js";
import { askMany } from "./lookup/ask-many.js";
import { identifyAt, momentOf } from "./lookup/identify.js";
import type { Identification, LookupSource, Moment, Query } from "./lookup/source.js";
import { isContinent, isMobileRecord, type CallsignRecord, type Continent } from "./lookup/record.js";
import { showValue } from "./show-value.js";

export type { Logger } from "./io/default-logger.js";
export type { Identification, IdentifiedCallsign } from "./lookup/source.js";
export type { CallsignRecord, Continent } from "./lookup/record.js";

/** A `LookupLib`, or another object that has a source. */
export interface SourceProvider<Found extends object = CallsignRecord> {
  /** The source, loaded. */
  source(): Promise<LookupSource<Found, object>>;
}

/** A callsign and the moment to answer for. */
export interface CallsignQuery {
  readonly callsign: string;
  /** The moment to answer for; that of the whole call when left out or `null`. */
  readonly timestamp?: Date | null | undefined;
}

/**
 * Country, zones, continent and coordinates of callsigns.
 *
 * A record is that of the entry of the whole call, or of the place that a prefix or suffix names, or of the call's own
 * prefix. Stations at sea (/MM) and in the air (/AM) have the codes 999 and 998, zones 0 and no continent.
 *
 * @example
 * const info = new Callinfo(new LookupLib({ offline: true }));
 * await info.getCountryName("DH1TW"); // => "Fed. Rep. of Germany"
 */
export class Callinfo<Found extends object = CallsignRecord> {
  readonly #provider: SourceProvider<Found>;
  readonly #logger: Logger | undefined;
  /** `undefined` until it is loaded. */
  #source: LookupSource<Found, object> | undefined;

  /**
   * @param lookuplib The source to ask.
   * @param logger Receives a warning for each unknown callsign.
   * @throws {ArgumentTypeError} `lookuplib` has no method `source`.
   */
  constructor(lookuplib: SourceProvider<Found>, logger?: Logger) {
    if (typeof lookuplib?.source !== "function") {
      throw new ArgumentTypeError({ argument: "lookuplib", value: lookuplib, expected: "a LookupLib" });
    }
    this.#provider = lookuplib;
    this.#logger = logger;
  }

  /**
   * The station's own call in a text: without the prefix of a visited country, without suffixes.
   *
   * @throws {CallsignError} The text contains no callsign. (A ValueError.)
   * @throws {ArgumentTypeError} The text is not a string.
   * @example
   * Callinfo.getHomecall("HC2/DH1TW/P"); // => "DH1TW"
   */
  static getHomecall(callsign: string): string {
    if (typeof callsign !== "string") {
      throw new ArgumentTypeError({ argument: "callsign", value: callsign, expected: "a string" });
    }
    return homeCall(callsign);
  }

  /**
   * The identification of a callsign as a value: identified, an invalid operation, or unknown. Unknown is not an error.
   *
   * @param callsign Any text.
   * @param timestamp The moment to answer for; now when left out or `null`.
   * @throws {ArgumentTypeError} The callsign is not a string.
   * @throws {ValueError} The timestamp is not a valid date.
   */
  async identify(callsign: string, timestamp?: Date | null): Promise<Identification<Found>> {
    return this.#identify(callsign, momentOf(timestamp, "timestamp"));
  }

  /**
   * The identifications of many callsigns, in their order: the fastest way for a whole log.
   *
   * Services are asked for many at once where they offer that. The log service then returns entity and CQ zone only; name,
   * continent and position are those of the embedded country file, or of one more request for a deleted entity.
   *
   * @param queries Callsigns, or callsigns with a moment each.
   * @param timestamp The moment for queries without one of their own; now when left out or `null`.
   * @returns Frozen records, as `identify` has them. A failed request of a service fails the whole call.
   * @throws {ArgumentTypeError} The queries can't be iterated, or one of the callsigns is not a string.
   * @throws {ValueError} One of the timestamps is not a valid date.
   * @example
   * const info = new Callinfo(new LookupLib({ offline: true }));
   * const answers = await info.identifyMany(["DH1TW", { callsign: "9H1XYZ", timestamp: new Date("2024-06-30") }, "??"]);
   * answers.map((answer) => (answer.kind === "identified" ? answer.record.adif : 0)); // => [230, 257, 0]
   */
  async identifyMany(
    queries: Iterable<string | CallsignQuery>,
    timestamp?: Date | null,
  ): Promise<Identification<Found>[]> {
    const parsed = queriesOf(queries, momentOf(timestamp, "timestamp"));
    const source = (this.#source ??= await this.#provider.source());
    // A provider with a table has Found = CallsignRecord, the record of tables.
    return askMany(source, parsed) as Promise<Identification<Found>[]> | Identification<Found>[];
  }

  /**
   * The whole record of the source. Its keys depend on the source: only country files have ITU zones.
   *
   * @param callsign Any text; surrounding blanks, lower case and SSIDs (DH1TW-9) are accepted.
   * @param timestamp The moment to answer for; now when left out or `null`.
   * @returns A copy of the record, with `beacon: true` for beacons. At sea and in the air position and zones are 0, as
   *   pyhamtools has them; the records of `identify` don't have them.
   * @throws {KeyError} The callsign is unknown, or its operation at that time doesn't count for DXCC.
   * @throws {ArgumentTypeError} The callsign is not a string.
   * @throws {ValueError} The timestamp is not a valid date.
   */
  async getAll(callsign: string, timestamp?: Date | null): Promise<Found> {
    const pending = this.#identify(callsign, momentOf(timestamp, "timestamp"));
    // Awaiting a value that is not a promise would halve the speed of bulk work.
    const answer = pending instanceof Promise ? await pending : pending;
    if (answer.kind === "identified")
      return isMobileRecord(answer.record) ? { ...answer.record, ...NOWHERE } : { ...answer.record };
    const reason = answer.kind === "unknown" ? "is not known" : "was an invalid operation";
    const message = `callsign ${showValue(callsign)} ${reason} at that time`;
    this.#logger?.warn(message);
    throw new KeyError(callsign, message);
  }

  /**
   * The ADIF code of the DXCC entity: 230 for Germany.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getAdifId(callsign: string, timestamp?: Date | null): Promise<number> {
    return fieldOf(await this.getAll(callsign, timestamp), "adif", isNumber, callsign);
  }

  /**
   * The continent: EU, NA, SA, AS, AF, OC or AN; "" at sea and in the air.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getContinent(callsign: string, timestamp?: Date | null): Promise<Continent> {
    return fieldOf(await this.getAll(callsign, timestamp), "continent", isContinentOrNone, callsign);
  }

  /**
   * The name of the entity. Sources spell names differently; the ADIF code is the same in all.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getCountryName(callsign: string, timestamp?: Date | null): Promise<string> {
    return fieldOf(await this.getAll(callsign, timestamp), "country", isText, callsign);
  }

  /**
   * The CQ zone, 1 to 40; 0 at sea and in the air.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getCqz(callsign: string, timestamp?: Date | null): Promise<number> {
    return fieldOf(await this.getAll(callsign, timestamp), "cqz", isNumber, callsign);
  }

  /**
   * The ITU zone, 1 to 90; 0 at sea and in the air.
   *
   * @throws {KeyError} There is no data, or the source has no ITU zones.
   * @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getItuz(callsign: string, timestamp?: Date | null): Promise<number> {
    return fieldOf(await this.getAll(callsign, timestamp), "ituz", isNumber, callsign);
  }

  /**
   * The position of the station in the source's data: often the middle of the country.
   *
   * @returns WGS84 degrees, north and east positive. Stations at sea and in the air have 0° N 0° E, as in pyhamtools: `identify` tells
   *   them apart.
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getLatLong(
    callsign: string,
    timestamp?: Date | null,
  ): Promise<{ latitude: number; longitude: number }> {
    const record = await this.getAll(callsign, timestamp);
    return {
      latitude: fieldOf(record, "latitude", isNumber, callsign),
      longitude: fieldOf(record, "longitude", isNumber, callsign),
    };
  }

  /**
   * Whether the source identifies the callsign at that time.
   *
   * @throws {ArgumentTypeError} The callsign is not a string.
   * @throws {ValueError} The timestamp is not a valid date.
   */
  async isValidCallsign(callsign: string, timestamp?: Date | null): Promise<boolean> {
    return (await this.identify(callsign, timestamp)).kind === "identified";
  }

  /** Synchronous where a table is loaded. */
  #identify(callsign: string, at: Moment): Identification<Found> | Promise<Identification<Found>> {
    return this.#source ? ask(this.#source, callsign, at) : this.#identifyLater(callsign, at);
  }

  async #identifyLater(callsign: string, at: Moment): Promise<Identification<Found>> {
    return ask((this.#source ??= await this.#provider.source()), callsign, at);
  }
}

function ask<Found extends object>(
  source: LookupSource<Found, object>,
  callsign: string,
  at: Moment,
): Identification<Found> | Promise<Identification<Found>> {
  if (source.kind === "service") return source.identify(callsign, at);
  // A provider with a table has Found = CallsignRecord, the record of tables.
  return identifyAt(callsign, source, at) as Identification<Found>;
}

function queriesOf(queries: Iterable<string | CallsignQuery>, moment: Moment): Query[] {
  // A string is iterable too, character by character.
  if (typeof queries === "string" || typeof queries?.[Symbol.iterator] !== "function") {
    const expected = "an array or another iterable of callsigns";
    throw new ArgumentTypeError({ argument: "queries", value: queries, expected });
  }
  return Array.from(queries, (query) => queryOf(query, moment));
}

function queryOf(query: string | CallsignQuery, moment: Moment): Query {
  if (typeof query === "string") return { callsign: query, at: moment };
  const callsign = query?.callsign;
  if (typeof callsign !== "string") {
    throw new ArgumentTypeError({ argument: "callsign", value: callsign ?? query, expected: "a string" });
  }
  const { timestamp } = query;
  return {
    callsign,
    at: timestamp === undefined || timestamp === null ? moment : momentOf(timestamp, "timestamp"),
  };
}

/** What pyhamtools has in records of stations at sea and in the air, and the ITU zone that it has elsewhere. */
const NOWHERE = { latitude: 0, longitude: 0, cqz: 0, ituz: 0 };

/** A value of a record, checked because callbooks may have a text instead of a number. */
function fieldOf<Value>(
  record: object,
  key: keyof CallsignRecord,
  isExpected: (value: unknown) => value is Value,
  callsign: string,
): Value {
  const value: unknown = key in record ? record[key as keyof typeof record] : undefined;
  if (isExpected(value)) return value;
  throw new KeyError(callsign, `the source has no ${key} of ${showValue(callsign)}`);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Stations at sea and in the air are on no continent. */
function isContinentOrNone(value: unknown): value is Continent {
  return value === "" || isContinent(value);
}
