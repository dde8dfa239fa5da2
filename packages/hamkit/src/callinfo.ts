/**
 * `hamkit/callinfo`: what is known of a callsign, whatever the database behind.
 *
 * @module hamkit/callinfo
 */
import { homeCall } from "./callsign/home-call.js";
import { ArgumentTypeError, KeyError } from "./errors.js";
import type { Logger } from "./io/default-logger.js";
import { askMany } from "./lookup/ask-many.js";
import { identifyAt, momentOf } from "./lookup/identify.js";
import type { Identification, LookupSource, Moment, Query } from "./lookup/ports.js";
import type { CallsignRecord, Continent } from "./lookup/record.js";
import { showValue } from "./show-value.js";

export type { Logger } from "./io/default-logger.js";
export type { Identification, IdentifiedCallsign } from "./lookup/ports.js";
export type { CallsignRecord, Continent } from "./lookup/record.js";

/** What `Callinfo` asks: a `LookupLib`, or anything else that has a source. */
export interface SourceProvider<Found extends object = CallsignRecord> {
  /** The source, loaded. */
  source(): Promise<LookupSource<Found, object>>;
}

/** A callsign and the moment for which it is asked. */
export interface CallsignQuery {
  readonly callsign: string;
  /** The moment for which the answer holds; that of the whole question when left out. */
  readonly timestamp?: Date | undefined;
}

/**
 * Country, zones, continent and coordinates of callsigns.
 *
 * Records come from an entry for the whole call, else from the place that a prefix or suffix names, else from the call's
 * own prefix. Stations at sea (/MM) and in the air (/AM) get the codes 999 and 998, zones 0 and no continent.
 *
 * @example
 * const info = new Callinfo(new LookupLib({ offline: true }));
 * await info.getCountryName("DH1TW"); // => "Fed. Rep. of Germany"
 */
export class Callinfo<Found extends object = CallsignRecord> {
  readonly #provider: SourceProvider<Found>;
  readonly #logger: Logger | undefined;
  /** The source, once it has been loaded. */
  #source: LookupSource<Found, object> | undefined;

  /**
   * @param lookuplib The database to ask.
   * @param logger Is told of callsigns that are not known.
   * @throws {ArgumentTypeError} There is no database.
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
   * @throws {CallsignError} No callsign is in the text. (A ValueError.)
   * @throws {ArgumentTypeError} The text is no string.
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
   * What is known of a callsign as a value: found, known to be invalid, or nothing. Nothing is no error here.
   *
   * @param callsign Any text.
   * @param timestamp The moment for which the answer holds.
   * @throws {ArgumentTypeError} The callsign is no string.
   * @throws {ValueError} The timestamp is no valid date.
   */
  async identify(callsign: string, timestamp?: Date): Promise<Identification<Found>> {
    return this.#answer(callsign, momentOf(timestamp, "timestamp"));
  }

  /**
   * The answers for many callsigns, in their order: the fastest way to a whole log.
   *
   * Services are asked for many at once where they offer that. The log service then tells entity and CQ zone alone; name,
   * continent and position are those of the embedded country file, or of one more question for an entity that is deleted.
   *
   * @param queries Callsigns, or callsigns with a moment each.
   * @param timestamp The moment for those that have none of their own; now when left out.
   * @returns Frozen records, as `identify` has them. One failure of a service is the failure of all.
   * @throws {ArgumentTypeError} The queries can't be iterated, or one of the callsigns is no string.
   * @throws {ValueError} One of the timestamps is no valid date.
   * @example
   * const info = new Callinfo(new LookupLib({ offline: true }));
   * const answers = await info.identifyMany(["DH1TW", { callsign: "9H1XYZ", timestamp: new Date("2024-06-30") }, "??"]);
   * answers.map((answer) => (answer.kind === "identified" ? answer.record.adif : 0)); // => [230, 257, 0]
   */
  async identifyMany(
    queries: Iterable<string | CallsignQuery>,
    timestamp?: Date,
  ): Promise<Identification<Found>[]> {
    const asked = queriesOf(queries, momentOf(timestamp, "timestamp"));
    const source = (this.#source ??= await this.#provider.source());
    // A provider with tables is one whose records are theirs.
    return askMany(source, asked) as Promise<Identification<Found>[]> | Identification<Found>[];
  }

  /**
   * All that the database has. Which keys are there depends on it: only country files have ITU zones.
   *
   * @param callsign Any text; blanks around it, lower case and SSIDs (DH1TW-9) are understood.
   * @param timestamp The moment for which the answer holds.
   * @returns A record of the caller's own, with `beacon: true` for beacons.
   * @throws {KeyError} The callsign can't be identified, or its operation at that time doesn't count for DXCC.
   * @throws {ArgumentTypeError} The callsign is no string.
   * @throws {ValueError} The timestamp is no valid date.
   */
  async getAll(callsign: string, timestamp?: Date): Promise<Found> {
    const pending = this.#answer(callsign, momentOf(timestamp, "timestamp"));
    // Waiting for what is there already would halve the speed of bulk work.
    const answer = pending instanceof Promise ? await pending : pending;
    if (answer.kind === "identified") return { ...answer.record };
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
  async getAdifId(callsign: string, timestamp?: Date): Promise<number> {
    return fieldOf(await this.getAll(callsign, timestamp), "adif", isNumber, callsign);
  }

  /**
   * The continent: EU, NA, SA, AS, AF, OC or AN; "" at sea and in the air.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getContinent(callsign: string, timestamp?: Date): Promise<Continent> {
    return fieldOf(await this.getAll(callsign, timestamp), "continent", isContinent, callsign);
  }

  /**
   * The name of the entity. Databases spell names differently; the ADIF code is the same for all.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getCountryName(callsign: string, timestamp?: Date): Promise<string> {
    return fieldOf(await this.getAll(callsign, timestamp), "country", isText, callsign);
  }

  /**
   * The CQ zone, 1 to 40; 0 at sea and in the air.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getCqz(callsign: string, timestamp?: Date): Promise<number> {
    return fieldOf(await this.getAll(callsign, timestamp), "cqz", isNumber, callsign);
  }

  /**
   * The ITU zone, 1 to 90; 0 at sea and in the air.
   *
   * @throws {KeyError} There is no data, or the database has no ITU zones.
   * @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getItuz(callsign: string, timestamp?: Date): Promise<number> {
    return fieldOf(await this.getAll(callsign, timestamp), "ituz", isNumber, callsign);
  }

  /**
   * Where the station is, as far as the database knows: often the middle of the country.
   *
   * @returns WGS84 degrees, north and east positive.
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getLatLong(callsign: string, timestamp?: Date): Promise<{ latitude: number; longitude: number }> {
    const record = await this.getAll(callsign, timestamp);
    return {
      latitude: fieldOf(record, "latitude", isNumber, callsign),
      longitude: fieldOf(record, "longitude", isNumber, callsign),
    };
  }

  /**
   * Whether the database knows the callsign at that time.
   *
   * @throws {ArgumentTypeError} The callsign is no string.
   * @throws {ValueError} The timestamp is no valid date.
   */
  async isValidCallsign(callsign: string, timestamp?: Date): Promise<boolean> {
    return (await this.identify(callsign, timestamp)).kind === "identified";
  }

  /** The answer at once where a table is loaded, else a promise of it. */
  #answer(callsign: string, at: Moment): Identification<Found> | Promise<Identification<Found>> {
    return this.#source ? ask(this.#source, callsign, at) : this.#answerLater(callsign, at);
  }

  async #answerLater(callsign: string, at: Moment): Promise<Identification<Found>> {
    return ask((this.#source ??= await this.#provider.source()), callsign, at);
  }
}

function ask<Found extends object>(
  source: LookupSource<Found, object>,
  callsign: string,
  at: Moment,
): Identification<Found> | Promise<Identification<Found>> {
  if (source.kind === "service") return source.identify(callsign, at);
  // A provider with tables is one whose records are theirs.
  return identifyAt(callsign, source, at) as Identification<Found>;
}

function queriesOf(queries: Iterable<string | CallsignQuery>, moment: Moment): Query[] {
  // A string is iterable too, character by character.
  if (typeof queries === "string" || typeof queries?.[Symbol.iterator] !== "function") {
    const expected = "an array, or something else to iterate, of callsigns";
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
  return { callsign, at: timestamp === undefined ? moment : momentOf(timestamp, "timestamp") };
}

/** A value of a record, whatever the database. Callbooks keep texts where a number should be. */
function fieldOf<Value>(
  record: object,
  key: keyof CallsignRecord,
  isRight: (value: unknown) => value is Value,
  callsign: string,
): Value {
  const value: unknown = key in record ? record[key as keyof typeof record] : undefined;
  if (isRight(value)) return value;
  throw new KeyError(callsign, `the database has no ${key} of ${showValue(callsign)}`);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isContinent(value: unknown): value is Continent {
  return isText(value);
}
