/** What is known of a callsign, whatever the database behind. */
import { homeCall } from "./callsign/home-call.js";
import { ArgumentTypeError, KeyError } from "./errors.js";
import type { Logger } from "./io/default-logger.js";
import { identifyAt, momentOf } from "./lookup/identify.js";
import type { Identification, LookupSource, Moment } from "./lookup/ports.js";
import type { CallsignRecord, Continent } from "./lookup/record.js";
import { showValue } from "./show-value.js";

export type { Logger } from "./io/default-logger.js";
export type { Identification, IdentifiedCallsign } from "./lookup/ports.js";
export type { CallsignRecord, Continent } from "./lookup/record.js";

/** What `Callinfo` asks: a `LookupLib`, or anything else that has a source. */
export interface SourceProvider {
  source(): Promise<LookupSource>;
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
export class Callinfo {
  readonly #provider: SourceProvider;
  readonly #logger: Logger | undefined;
  /** The source, once it has been loaded. */
  #source: LookupSource | undefined;

  /**
   * @param lookuplib The database to ask.
   * @param logger Is told of callsigns that are not known.
   * @throws {ArgumentTypeError} There is no database.
   */
  constructor(lookuplib: SourceProvider, logger?: Logger) {
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
  async identify(callsign: string, timestamp?: Date): Promise<Identification> {
    return this.#answer(callsign, momentOf(timestamp, "timestamp"));
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
  async getAll(callsign: string, timestamp?: Date): Promise<CallsignRecord> {
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
    return this.#field("adif", callsign, timestamp);
  }

  /**
   * The continent: EU, NA, SA, AS, AF, OC or AN; "" at sea and in the air.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getContinent(callsign: string, timestamp?: Date): Promise<Continent> {
    return this.#field("continent", callsign, timestamp);
  }

  /**
   * The name of the entity. Databases spell names differently; the ADIF code is the same for all.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getCountryName(callsign: string, timestamp?: Date): Promise<string> {
    return this.#field("country", callsign, timestamp);
  }

  /**
   * The CQ zone, 1 to 40; 0 at sea and in the air.
   *
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getCqz(callsign: string, timestamp?: Date): Promise<number> {
    return this.#field("cqz", callsign, timestamp);
  }

  /**
   * The ITU zone, 1 to 90; 0 at sea and in the air.
   *
   * @throws {KeyError} There is no data, or the database has no ITU zones.
   * @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getItuz(callsign: string, timestamp?: Date): Promise<number> {
    return this.#field("ituz", callsign, timestamp);
  }

  /**
   * Where the station is, as far as the database knows: often the middle of the country.
   *
   * @returns WGS84 degrees, north and east positive.
   * @throws {KeyError} There is no data. @throws {ArgumentTypeError} @throws {ValueError} As `getAll` does.
   */
  async getLatLong(callsign: string, timestamp?: Date): Promise<{ latitude: number; longitude: number }> {
    const { latitude, longitude } = await this.getAll(callsign, timestamp);
    return { latitude, longitude };
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
  #answer(callsign: string, at: Moment): Identification | Promise<Identification> {
    const source = this.#source;
    return source?.kind === "table" ? identifyAt(callsign, source, at) : this.#answerLater(callsign, at);
  }

  async #answerLater(callsign: string, at: Moment): Promise<Identification> {
    const source = (this.#source ??= await this.#provider.source());
    return source.kind === "table" ? identifyAt(callsign, source, at) : source.identify(callsign, at);
  }

  async #field<Key extends keyof CallsignRecord>(
    key: Key,
    callsign: string,
    timestamp: Date | undefined,
  ): Promise<NonNullable<CallsignRecord[Key]>> {
    const value = (await this.getAll(callsign, timestamp))[key];
    if (value === undefined)
      throw new KeyError(callsign, `the database has no ${key} of ${showValue(callsign)}`);
    return value;
  }
}
