/** One interface for all kinds of callsign database. */
import { normalizeCallsign } from "./callsign/normalize.js";
import { ArgumentTypeError, KeyError, UnsupportedLookupError, ValueError } from "./errors.js";
import { defaultLogger, type Logger } from "./io/default-logger.js";
import { momentOf } from "./lookup/identify.js";
import type { LookupSource } from "./lookup/ports.js";
import type { CallsignRecord, EntityRecord } from "./lookup/record.js";
import { showValue } from "./show-value.js";
import { loadCountryFile } from "./sources/country-file-loader.js";

export type { Logger } from "./io/default-logger.js";
export type { LookupSource, ServiceSource, TableSource } from "./lookup/ports.js";
export type { CallsignRecord, Continent, EntityRecord } from "./lookup/record.js";

/** The kinds of database that this version offers. */
export type LookupType = "countryfile";

export interface LookupLibOptions {
  /** The kind of database; "countryfile" when left out. */
  readonly lookuptype?: LookupType;
  /**
   * A local file: cty.plist, cty.dat or cty.csv, told apart by content. Without it the file is downloaded once a week,
   * and an older copy or the embedded data is used, with a warning, when there is no network.
   */
  readonly filename?: string;
  /** Is told of old data and of records left out; Node's process warnings are when this is left out. */
  readonly logger?: Logger;
  /** Where the download comes from; the country-file site when left out. */
  readonly url?: string;
  /** Where the download is kept; the user's cache folder, or `HAMKIT_CACHE_DIR`, when left out. */
  readonly cacheDir?: string;
  /** Takes the kept copy or the embedded data without asking the network. */
  readonly offline?: boolean;
  /** Key of the log service. Not needed by a country file. */
  readonly apikey?: string;
  /** Version of the callbook's interface. Not needed by a country file. */
  readonly apiv?: string;
  /** Account at the callbook. Not needed by a country file. */
  readonly username?: string;
  /** Password of that account. Not needed by a country file. */
  readonly pwd?: string;
  /** Client of a key/value store. Not needed by a country file. */
  readonly kvInstance?: object;
  /** What the store's keys begin with. Not needed by a country file. */
  readonly kvPrefix?: string;
}

const LOADERS: Readonly<Record<LookupType, (options: LookupLibOptions) => Promise<LookupSource>>> = {
  countryfile: ({ filename, url, offline, cacheDir, logger = defaultLogger }) =>
    loadCountryFile({
      filename,
      url,
      offline,
      cacheDir,
      now: () => Date.now(),
      warn: (message) => logger.warn(message),
    }),
};

/** The types that offer a question. */
const OFFERED_BY = {
  copyDataInKvstore: [],
  isInvalidOperation: [],
  lookupCallsign: ["countryfile"],
  lookupEntity: ["countryfile"],
  lookupPrefix: ["countryfile"],
  lookupZoneException: [],
} as const satisfies Record<string, readonly LookupType[]>;

/**
 * A callsign database. Constructing it does no work; loading starts with the first question, or with `ready()`.
 *
 * Every answer is the caller's own: changing it changes nothing else.
 *
 * @example
 * const lookup = new LookupLib({ lookuptype: "countryfile", offline: true });
 * (await lookup.lookupPrefix("DL")).country; // => "Fed. Rep. of Germany"
 */
export class LookupLib {
  readonly lookuptype: LookupType;
  readonly #options: LookupLibOptions;
  #source: Promise<LookupSource> | undefined;

  /** @throws {ValueError} This version has no such lookuptype. */
  constructor(options?: LookupLibOptions) {
    const { lookuptype = "countryfile" } = options ?? {};
    if (!Object.hasOwn(LOADERS, lookuptype)) {
      const expected = `a lookuptype of this version: ${Object.keys(LOADERS).join(", ")}`;
      throw new ValueError({ argument: "lookuptype", value: lookuptype, expected });
    }
    this.lookuptype = lookuptype;
    this.#options = { ...options };
  }

  /**
   * Loads the data, where that has not been done.
   *
   * @throws {IOError} The local file can't be read. The next question tries again.
   * @throws {CountryFileError} The local file is no country file.
   */
  async ready(): Promise<void> {
    await this.source();
  }

  /**
   * The loaded source. A table among them (`kind: "table"`) can be handed to `identify` of hamkit/lookup.
   *
   * @throws {IOError} @throws {CountryFileError} As `ready` does.
   */
  source(): Promise<LookupSource> {
    return (this.#source ??= this.#load());
  }

  /**
   * The record of exactly this callsign, if there is one. No prefix is tried: `Callinfo` does that.
   *
   * @param callsign Any case; blanks around it don't count.
   * @param timestamp The moment for which the record must hold.
   * @throws {KeyError} There is no record for this callsign at that time.
   * @throws {ArgumentTypeError} The callsign is no string.
   * @throws {ValueError} The timestamp is no valid date.
   */
  async lookupCallsign(callsign: string, timestamp: Date = new Date()): Promise<CallsignRecord> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.source();
    if (!source.exact) throw this.#unsupported("lookupCallsign");
    const record = key === undefined ? undefined : await source.exact(key, at);
    return copyOf(record, callsign, `no entry for callsign ${showValue(callsign)} at that time`);
  }

  /**
   * The record of exactly this prefix.
   *
   * @param prefix Any case; blanks around it don't count.
   * @param timestamp The moment for which the record must hold.
   * @throws {KeyError} There is no such prefix at that time.
   * @throws {ArgumentTypeError} The prefix is no string.
   * @throws {ValueError} The timestamp is no valid date.
   */
  async lookupPrefix(prefix: string, timestamp: Date = new Date()): Promise<CallsignRecord> {
    const key = keyOf("prefix", prefix);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.source();
    if (!source.prefix) throw this.#unsupported("lookupPrefix");
    const record = key === undefined ? undefined : await source.prefix(key, at);
    return copyOf(record, prefix, `no entry for prefix ${showValue(prefix)} at that time`);
  }

  /**
   * The record of a DXCC entity.
   *
   * @param entity ADIF entity code, such as 230.
   * @throws {KeyError} There is no such entity.
   * @throws {ArgumentTypeError} The code is no number.
   */
  async lookupEntity(entity: number): Promise<EntityRecord> {
    if (typeof entity !== "number") {
      throw new ArgumentTypeError({ argument: "entity", value: entity, expected: "a number" });
    }
    const source = await this.source();
    if (!source.entity) throw this.#unsupported("lookupEntity");
    return copyOf(await source.entity(entity), entity, `no DXCC entity ${entity}`);
  }

  /**
   * Whether an operation under this callsign at that time does not count for DXCC.
   *
   * @returns `true`; there is no `false`.
   * @throws {UnsupportedLookupError} The database has no such list.
   * @throws {KeyError} The list has no such callsign at that time.
   */
  async isInvalidOperation(callsign: string, timestamp: Date = new Date()): Promise<true> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.source();
    if (!source.isInvalidOperation) throw this.#unsupported("isInvalidOperation");
    const invalid = key !== undefined && (await source.isInvalidOperation(key, at));
    if (!invalid) throw new KeyError(callsign, `no invalid operation of ${showValue(callsign)} at that time`);
    return true;
  }

  /**
   * The CQ zone that holds for this callsign in spite of its prefix.
   *
   * @throws {UnsupportedLookupError} The database has no such list.
   * @throws {KeyError} The list has no such callsign at that time.
   */
  async lookupZoneException(callsign: string, timestamp: Date = new Date()): Promise<number> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.source();
    if (!source.zoneException) throw this.#unsupported("lookupZoneException");
    const zone = key === undefined ? undefined : await source.zoneException(key, at);
    if (zone === undefined)
      throw new KeyError(callsign, `no zone exception for ${showValue(callsign)} at that time`);
    return zone;
  }

  /**
   * Copies the data into a key/value store.
   *
   * @throws {UnsupportedLookupError} This version copies no database.
   */
  async copyDataInKvstore(_kvPrefix: string, _kvInstance: object): Promise<true> {
    throw this.#unsupported("copyDataInKvstore");
  }

  async #load(): Promise<LookupSource> {
    try {
      return await LOADERS[this.lookuptype](this.#options);
    } catch (failure) {
      this.#source = undefined;
      throw failure;
    }
  }

  #unsupported(method: keyof typeof OFFERED_BY): UnsupportedLookupError {
    return new UnsupportedLookupError({
      method,
      lookuptype: this.lookuptype,
      supportedBy: OFFERED_BY[method],
    });
  }
}

/** The key of a table; `undefined` for a text that can't be one. */
function keyOf(argument: string, text: string): string | undefined {
  if (typeof text !== "string") throw new ArgumentTypeError({ argument, value: text, expected: "a string" });
  return normalizeCallsign(text);
}

/** The caller's own copy of what was found. */
function copyOf<Found extends object>(found: Found | undefined, key: unknown, reason: string): Found {
  if (found === undefined) throw new KeyError(key, reason);
  return { ...found };
}
