/**
 * `hamkit/lookuplib`: one interface to all sources of callsign data.
 *
 * @module hamkit/lookuplib
 */
import { normalizeCallsign } from "./callsign/normalize.js";
import {
  APIKeyMissingError,
  ArgumentTypeError,
  IOError,
  KeyError,
  UnsupportedLookupError,
  ValueError,
} from "./errors.js";
import { defaultLogger } from "./io/default-logger.js";
import { createChain } from "./lookup/chain.js";
import { momentOf } from "./lookup/identify.js";
import type { LookupSource } from "./lookup/source.js";
import type { CallsignRecord } from "./lookup/record.js";
import { showValue } from "./show-value.js";
import type { StoreClient } from "./kvstore/store-client.js";
import { copyIntoKvstore } from "./kvstore/kvstore-copy.js";
import {
  isLookupType,
  loadSource,
  SOURCE_NAMES,
  sourcesWith,
  type EntityOf,
  type LookupLibOptions,
  type LookupMethod,
  type LookupType,
  type RecordOf,
} from "./sources.js";

export type { Logger } from "./io/default-logger.js";
export type { LookupSource, ServiceSource, TableSource } from "./lookup/source.js";
export type { CallsignRecord, Continent, EntityRecord } from "./lookup/record.js";
export type { CallbookEntity, CallbookRecord, OrText } from "./callbook/callbook-record.js";
export type { CallbookName } from "./callbook/callbook.js";
export type { EntityOf, LookupLibOptions, LookupType, RecordOf } from "./sources.js";

/** The options of one source of several. */
export type ChainedOptions<Type extends LookupType> = LookupLibOptions<Type> & { readonly lookuptype: Type };

/**
 * A source of callsign data, or several that are asked in their order. The constructor does no work; loading starts with the
 * first lookup, or with `ready()`.
 *
 * Every record is a copy: changing it changes no later one.
 *
 * @example
 * const lookup = new LookupLib({ lookuptype: "countryfile", offline: true });
 * (await lookup.lookupPrefix("DL")).country; // => "Fed. Rep. of Germany"
 */
export class LookupLib<Type extends LookupType = "countryfile"> {
  /** The name of the source; of several, their names with commas between. */
  readonly lookuptype: string;
  readonly #types: readonly LookupType[];
  readonly #parts: readonly LookupLibOptions<Type>[];
  #source: Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> | undefined;

  /**
   * @param options Of one source; or of several, of which the first one that knows the callsign answers. A source whose network
   *   or file fails is skipped with a warning, as long as another one answers.
   * @throws {ValueError} The lookuptype does not exist, or the list is empty.
   * @throws {ArgumentTypeError} The options are not an object.
   */
  constructor(options: LookupLibOptions<Type> | readonly ChainedOptions<Type>[] = {}) {
    const parts: readonly LookupLibOptions<Type>[] = isList(options) ? options : [options];
    if (parts.length === 0) {
      throw new ValueError({
        argument: "options",
        value: options,
        expected: "a list of one database or more",
      });
    }
    for (const part of parts) checkOptions(part);
    this.#types = parts.map(({ lookuptype }) => checkType(lookuptype));
    this.lookuptype = this.#types.join(", ");
    this.#parts = Array.from(parts, copyOptions);
  }

  /**
   * Loads the data, unless it is loaded.
   *
   * @throws {IOError} The local file can't be read, or the log XML can't be downloaded. The next call tries again.
   * @throws {CountryFileError} The local file is not a country file.
   * @throws {LogXmlError} The local file is not log XML.
   * @throws {APIKeyMissingError} The key of the log service is missing, or the service refused it. All later calls throw the same
   *   error without another request.
   * @throws {ValueError} A required option is missing or invalid, such as `username` and `pwd` of a callbook. A callbook logs in
   *   at the first lookup.
   */
  async ready(): Promise<void> {
    await this.source();
  }

  /**
   * The loaded source. A table (`kind: "table"`) can be passed to `identify` of hamkit/lookup.
   *
   * @throws {IOError} @throws {CountryFileError} @throws {LogXmlError} @throws {APIKeyMissingError} @throws {ValueError} As
   *   `ready` does.
   */
  source(): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
    return (this.#source ??= this.#load());
  }

  /**
   * The record of exactly this callsign. Prefixes are not tried: `Callinfo` does that. A service answers for any callsign.
   *
   * @param callsign In any case; surrounding blanks are ignored.
   * @param timestamp The moment at which the record must be valid; now when left out or `null`.
   * @throws {KeyError} The source has no record of this callsign at that time.
   * @throws {APIKeyMissingError} The key of the log service is missing, or the service refused it.
   * @throws {ArgumentTypeError} The callsign is not a string.
   * @throws {ValueError} The timestamp is not a valid date.
   * @throws {LoginError} The callbook refused the account, now or earlier.
   * @throws {IOError} The service failed: `TimeoutError` without a response in time, `AnswerError` for an unreadable one.
   */
  async lookupCallsign(callsign: string, timestamp?: Date | null): Promise<RecordOf<Type>> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.#sourceFor("lookupCallsign");
    if (!source.exact) throw this.#unsupported("lookupCallsign");
    const record = key === undefined ? undefined : await source.exact(key, at);
    // A source with a table has Type with the record of tables.
    return copyOf(
      record as RecordOf<Type> | undefined,
      callsign,
      `no entry for callsign ${showValue(callsign)} at that time`,
    );
  }

  /**
   * The record of exactly this prefix.
   *
   * @param prefix In any case; surrounding blanks are ignored.
   * @param timestamp The moment at which the record must be valid; now when left out or `null`.
   * @throws {KeyError} The source has no record of this prefix at that time.
   * @throws {ArgumentTypeError} The prefix is not a string.
   * @throws {ValueError} The timestamp is not a valid date.
   */
  async lookupPrefix(prefix: string, timestamp?: Date | null): Promise<CallsignRecord> {
    const key = keyOf("prefix", prefix);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.#sourceFor("lookupPrefix");
    if (!source.prefix) throw this.#unsupported("lookupPrefix");
    const record = key === undefined ? undefined : await source.prefix(key, at);
    return copyOf(record, prefix, `no entry for prefix ${showValue(prefix)} at that time`);
  }

  /**
   * The record of a DXCC entity.
   *
   * @param entity ADIF entity code, such as 230; its digits as text are accepted, as log files have them.
   * @throws {KeyError} The source has no record of this entity.
   * @throws {ArgumentTypeError} The code is not a number.
   * @throws {LoginError} @throws {IOError} A callbook failed, as for `lookupCallsign`.
   */
  async lookupEntity(entity: number | `${number}`): Promise<EntityOf<Type>> {
    const adif = typeof entity === "string" && /^[0-9]{1,3}$/.test(entity) ? Number(entity) : entity;
    if (typeof adif !== "number") {
      throw new ArgumentTypeError({ argument: "entity", value: entity, expected: "a number" });
    }
    const source = await this.#sourceFor("lookupEntity");
    if (!source.entity) throw this.#unsupported("lookupEntity");
    return copyOf(await source.entity(adif), entity, `no DXCC entity ${entity}`);
  }

  /**
   * Whether an operation under this callsign at that time does not count for DXCC.
   *
   * @returns `true`, never `false`.
   * @throws {UnsupportedLookupError} A `KeyError`: the source has no list of invalid operations.
   * @throws {KeyError} The callsign is not in the list at that time.
   */
  async isInvalidOperation(callsign: string, timestamp?: Date | null): Promise<true> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.#sourceFor("isInvalidOperation");
    if (!source.isInvalidOperation) throw this.#unsupported("isInvalidOperation");
    const invalid = key !== undefined && (await source.isInvalidOperation(key, at));
    if (!invalid) throw new KeyError(callsign, `no invalid operation of ${showValue(callsign)} at that time`);
    return true;
  }

  /**
   * The CQ zone of this callsign where it differs from that of its prefix.
   *
   * @throws {UnsupportedLookupError} A `KeyError`: the source has no list of zone exceptions.
   * @throws {KeyError} The callsign is not in the list at that time.
   */
  async lookupZoneException(callsign: string, timestamp?: Date | null): Promise<number> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.#sourceFor("lookupZoneException");
    if (!source.zoneException) throw this.#unsupported("lookupZoneException");
    const zone = key === undefined ? undefined : await source.zoneException(key, at);
    if (zone === undefined)
      throw new KeyError(callsign, `no zone exception for ${showValue(callsign)} at that time`);
    return zone;
  }

  /**
   * Copies the complete data into a key/value store and replaces the data set under the prefix.
   *
   * On a single server, and in a cluster where the prefix has a hash tag such as `{cty}`, readers see the old data or the
   * new and never a mixture.
   *
   * @param kvPrefix The prefix of the keys, such as "CF"; `kvPrefix` of the options when left out.
   * @param kvInstance The store; `kvInstance` of the options when left out.
   * @returns `true`, when all data is copied.
   * @throws {UnsupportedLookupError} A `KeyError`: the source can't be copied.
   * @throws {ValueError} The prefix is not a string, or the store is of no known kind.
   * @throws {IOError} The store failed and keeps its old data; or the source can't be loaded.
   */
  async copyDataInKvstore(kvPrefix?: string, kvInstance?: StoreClient): Promise<true> {
    const source = await this.#sourceFor("copyDataInKvstore");
    if (source.kind !== "table") throw this.#unsupported("copyDataInKvstore");
    const [options = {}] = this.#parts;
    await copyIntoKvstore(source, {
      kvPrefix: kvPrefix ?? options.kvPrefix,
      kvInstance: kvInstance ?? options.kvInstance,
    });
    return true;
  }

  async #load(): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
    try {
      const [only, ...others] = this.#parts;
      return await (only && others.length === 0 ? loadOne(only) : loadChain(this.#parts));
    } catch (failure) {
      // The log service locks out clients that repeat a refused key.
      if (!(failure instanceof APIKeyMissingError)) this.#source = undefined;
      throw failure;
    }
  }

  /** The loaded source. A method that the source does not have is rejected before loading. */
  #sourceFor(method: LookupMethod): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
    const supportedBy = sourcesWith(method);
    // A single source can be copied, a list cannot.
    const isOffered =
      this.#types.some((type) => supportedBy.includes(type)) &&
      (method !== "copyDataInKvstore" || this.#types.length === 1);
    return isOffered ? this.source() : Promise.reject(this.#unsupported(method));
  }

  #unsupported(method: LookupMethod): UnsupportedLookupError {
    return new UnsupportedLookupError({
      method,
      lookuptype: this.lookuptype,
      supportedBy: sourcesWith(method),
    });
  }
}

/** A copy, so that later changes of the caller's object have no effect. */
function copyOptions<Options extends object>(options: Options): Options {
  return { ...options };
}

function checkOptions(options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  throw new ArgumentTypeError({
    argument: "options",
    value: options,
    expected: "an object or a list of such",
  });
}

function isList(options: object): options is readonly unknown[] {
  return Array.isArray(options);
}

function checkType(lookuptype: LookupType = "countryfile"): LookupType {
  if (isLookupType(lookuptype)) return lookuptype;
  const expected = `a lookuptype of this version: ${SOURCE_NAMES.join(", ")}`;
  throw new ValueError({ argument: "lookuptype", value: lookuptype, expected });
}

function loadOne<Type extends LookupType>(
  options: LookupLibOptions<Type>,
): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
  const { lookuptype = "countryfile" as Type, logger = defaultLogger } = options;
  return loadSource(lookuptype, options, (message) => logger.warn(message));
}

/** Skips sources that fail with an `IOError`, unless all of them do. */
async function loadChain<Type extends LookupType>(
  parts: readonly LookupLibOptions<Type>[],
): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
  const { logger = defaultLogger } = parts.find((part) => part.logger) ?? {};
  const warn = (message: string): void => logger.warn(message);
  const outcomes = await Promise.allSettled(parts.map(loadOne<Type>));
  const sources: LookupSource<RecordOf<Type>, EntityOf<Type>>[] = [];
  let failure: IOError | undefined;
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") sources.push(outcome.value);
    else if (!(outcome.reason instanceof IOError)) throw outcome.reason;
    else failure ??= outcome.reason;
  }
  if (failure && sources.length === 0) throw failure;
  if (failure) warn(`A source is skipped. ${failure.message}`);
  return createChain(sources, { warn }) as LookupSource<RecordOf<Type>, EntityOf<Type>>;
}

/** The key of a table; `undefined` for a text that can't be one. */
function keyOf(argument: string, text: string): string | undefined {
  if (typeof text !== "string") throw new ArgumentTypeError({ argument, value: text, expected: "a string" });
  return normalizeCallsign(text);
}

/** A copy of the record. */
function copyOf<Found extends object>(found: Found | undefined, key: unknown, reason: string): Found {
  if (found === undefined) throw new KeyError(key, reason);
  return { ...found };
}
