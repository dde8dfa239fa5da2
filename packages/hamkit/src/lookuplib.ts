/**
 * `hamkit/lookuplib`: one interface for all kinds of callsign database.
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
import type { LookupSource } from "./lookup/ports.js";
import type { CallsignRecord } from "./lookup/record.js";
import { showValue } from "./show-value.js";
import type { StoreClient } from "./kvstore/kvstore-client.js";
import { copyIntoKvstore } from "./kvstore/kvstore-copy.js";
import {
  LOADERS,
  OFFERED_BY,
  type EntityOf,
  type LookupLibOptions,
  type LookupMethod,
  type LookupType,
  type RecordOf,
} from "./lookup-types.js";

export type { Logger } from "./io/default-logger.js";
export type { LookupSource, ServiceSource, TableSource } from "./lookup/ports.js";
export type { CallsignRecord, Continent, EntityRecord } from "./lookup/record.js";
export type { CallbookEntity, CallbookRecord, OrText } from "./callbook/callbook-record.js";
export type { CallbookName } from "./callbook/callbook.js";
export type { EntityOf, LookupLibOptions, LookupType, RecordOf } from "./lookup-types.js";

/** One database of several. */
export type ChainedOptions<Type extends LookupType> = LookupLibOptions<Type> & { readonly lookuptype: Type };

/**
 * A callsign database, or several asked in their order. Constructing it does no work; loading starts with the first
 * question, or with `ready()`.
 *
 * Every answer is the caller's own: changing it changes nothing else.
 *
 * @example
 * const lookup = new LookupLib({ lookuptype: "countryfile", offline: true });
 * (await lookup.lookupPrefix("DL")).country; // => "Fed. Rep. of Germany"
 */
export class LookupLib<Type extends LookupType = "countryfile"> {
  /** The kind of database; of several their names with commas between. */
  readonly lookuptype: string;
  readonly #types: readonly LookupType[];
  readonly #parts: readonly LookupLibOptions<Type>[];
  #source: Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> | undefined;

  /**
   * @param options Of the database; or of several, of which the first one that has an answer gives it. A source that fails
   *   for the network's sake is passed over with a warning, as long as another one answers.
   * @throws {ValueError} This version has no such lookuptype, or the list is empty.
   * @throws {ArgumentTypeError} The options are no object.
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
   * Loads the data, where that has not been done.
   *
   * @throws {IOError} The local file can't be read, or there is no log XML to be had. The next question tries again.
   * @throws {CountryFileError} The local file is no country file.
   * @throws {LogXmlError} The local file is no log XML.
   * @throws {APIKeyMissingError} The log service wants a key, and there is none or it was refused. The same error
   *   answers all later questions, and nobody is asked again.
   * @throws {ValueError} A callbook needs `username` and `pwd`, or has an option that it can't use. Only the first question
   *   logs in.
   */
  async ready(): Promise<void> {
    await this.source();
  }

  /**
   * The loaded source. A table among them (`kind: "table"`) can be handed to `identify` of hamkit/lookup.
   *
   * @throws {IOError} @throws {CountryFileError} @throws {LogXmlError} @throws {APIKeyMissingError} @throws {ValueError} As
   *   `ready` does.
   */
  source(): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
    return (this.#source ??= this.#load());
  }

  /**
   * The record of exactly this callsign, if there is one. No prefix is tried: `Callinfo` does that. A service answers as it
   * does for any callsign.
   *
   * @param callsign Any case; blanks around it don't count.
   * @param timestamp The moment for which the record must hold.
   * @throws {KeyError} There is no record for this callsign at that time.
   * @throws {APIKeyMissingError} The log service has been given no key, or refuses it.
   * @throws {IOError} The service can't be reached, or answers what can't be read.
   * @throws {ArgumentTypeError} The callsign is no string.
   * @throws {ValueError} The timestamp is no valid date.
   * @throws {LoginError} The callbook refused the account, now or at an earlier question.
   * @throws {IOError} The callbook failed: `TimeoutError` where nothing came, `AnswerError` where it can't be read.
   */
  async lookupCallsign(callsign: string, timestamp: Date = new Date()): Promise<RecordOf<Type>> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.#sourceFor("lookupCallsign");
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
    const source = await this.#sourceFor("lookupPrefix");
    if (!source.prefix) throw this.#unsupported("lookupPrefix");
    const record = key === undefined ? undefined : await source.prefix(key, at);
    return copyOf(record, prefix, `no entry for prefix ${showValue(prefix)} at that time`);
  }

  /**
   * The record of a DXCC entity.
   *
   * @param entity ADIF entity code, such as 230; its digits as text are accepted, as log files have them.
   * @throws {KeyError} There is no such entity.
   * @throws {ArgumentTypeError} The code is no number.
   * @throws {LoginError} @throws {IOError} Of callbooks, as `lookupCallsign` does.
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
   * @returns `true`; there is no `false`.
   * @throws {UnsupportedLookupError} The database has no such list.
   * @throws {KeyError} The list has no such callsign at that time.
   */
  async isInvalidOperation(callsign: string, timestamp: Date = new Date()): Promise<true> {
    const key = keyOf("callsign", callsign);
    const at = momentOf(timestamp, "timestamp");
    const source = await this.#sourceFor("isInvalidOperation");
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
    const source = await this.#sourceFor("lookupZoneException");
    if (!source.zoneException) throw this.#unsupported("lookupZoneException");
    const zone = key === undefined ? undefined : await source.zoneException(key, at);
    if (zone === undefined)
      throw new KeyError(callsign, `no zone exception for ${showValue(callsign)} at that time`);
    return zone;
  }

  /**
   * Copies the complete data into a key/value store, in place of what is there under the prefix.
   *
   * On a single server, and in a cluster where the prefix has a hash tag such as `{cty}`, others see the old data or the
   * new and never a mixture.
   *
   * @param kvPrefix What the keys shall begin with, such as "CF"; `kvPrefix` of the options when left out.
   * @param kvInstance The store; `kvInstance` of the options when left out.
   * @returns `true`, when all of it is there.
   * @throws {UnsupportedLookupError} The database can't be copied.
   * @throws {ValueError} The prefix is no string, or the store is none that is known.
   * @throws {IOError} The store failed, and keeps its old data; or the database can't be loaded.
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
      return await (only && others.length === 0 ? load(only) : loadChain(this.#parts));
    } catch (failure) {
      // The service locks out whoever goes on asking with a wrong key, and this one stays what it is.
      if (!(failure instanceof APIKeyMissingError)) this.#source = undefined;
      throw failure;
    }
  }

  /** The loaded source; nothing is loaded for a question that it can't answer. */
  #sourceFor(method: LookupMethod): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
    const offeredBy: readonly LookupType[] = OFFERED_BY[method];
    // One database is copied, not a list of them.
    const isOffered =
      this.#types.some((type) => offeredBy.includes(type)) &&
      (method !== "copyDataInKvstore" || this.#types.length === 1);
    return isOffered ? this.source() : Promise.reject(this.#unsupported(method));
  }

  #unsupported(method: LookupMethod): UnsupportedLookupError {
    return new UnsupportedLookupError({
      method,
      lookuptype: this.lookuptype,
      supportedBy: OFFERED_BY[method],
    });
  }
}

/** Changing the options later changes nothing. */
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
  if (Object.hasOwn(LOADERS, lookuptype)) return lookuptype;
  const expected = `a lookuptype of this version: ${Object.keys(LOADERS).join(", ")}`;
  throw new ValueError({ argument: "lookuptype", value: lookuptype, expected });
}

function load<Type extends LookupType>(
  options: LookupLibOptions<Type>,
): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
  const { lookuptype = "countryfile", logger = defaultLogger } = options;
  return LOADERS[lookuptype]({ ...options, logger });
}

/** What can't be loaded for the network's sake is left out, as long as there is something else. */
async function loadChain<Type extends LookupType>(
  parts: readonly LookupLibOptions<Type>[],
): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
  const { logger = defaultLogger } = parts.find((part) => part.logger) ?? {};
  const warn = (message: string): void => logger.warn(message);
  const outcomes = await Promise.allSettled(parts.map((part) => load(part)));
  const sources: LookupSource<RecordOf<Type>, EntityOf<Type>>[] = [];
  let failure: IOError | undefined;
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") sources.push(outcome.value);
    else if (!(outcome.reason instanceof IOError)) throw outcome.reason;
    else failure ??= outcome.reason;
  }
  if (failure && sources.length === 0) throw failure;
  if (failure) warn(`A database is passed over. ${failure.message}`);
  return createChain(sources, { warn });
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
