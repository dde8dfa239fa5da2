/**
 * The sources of callsign data: one entry each, from which `LookupLib`, the command line and the documents follow.
 *
 * Each source is loaded when it is first used: a program that asks one of them does not load the code of the others.
 */
import type { Logger } from "./io/default-logger.js";
import type { LookupSource } from "./lookup/source.js";
import type { CallsignRecord, EntityRecord } from "./lookup/record.js";
import type { CallbookEntity, CallbookRecord } from "./callbook/callbook-record.js";
import type { CallbookName } from "./callbook/callbook.js";
import type { StoreClient } from "./kvstore/store-client.js";

/** The sources that this version offers. */
export type LookupType = "countryfile" | "logxml" | "logapi" | "callbook" | "kvstore";

/** The record of a callsign in a source. */
export type RecordOf<Type extends LookupType> = Type extends "callbook" ? CallbookRecord : CallsignRecord;

/** The record of a DXCC entity in a source. */
export type EntityOf<Type extends LookupType> = Type extends "callbook" ? CallbookEntity : EntityRecord;

/** The options of a source. */
export interface LookupLibOptions<Type extends LookupType = LookupType> {
  /** The source; "countryfile" when left out. */
  readonly lookuptype?: Type;
  /**
   * A local file. "countryfile": cty.plist, cty.dat or cty.csv, recognized by content; without it the file is downloaded
   * once a week, and without network an older copy or the embedded data is used, with a warning. "logxml": cty.xml, packed or
   * not; without it the file is downloaded with the `apikey` when the service reports a change, and without network an older
   * copy is used, with a warning.
   */
  readonly filename?: string;
  /** Receives warnings about old data and unreadable records; by default they are warnings of the Node process. */
  readonly logger?: Logger;
  /**
   * The address of the download or of the service; its own when left out. For a callbook the base of its addresses, without
   * the version.
   */
  readonly url?: string;
  /** "logapi": the address for many callsigns in one request; `bulkdxcc` next to `url` when left out. */
  readonly bulkUrl?: string;
  /**
   * Milliseconds without data from the service after which a try ends. "logapi": 10000 when left out, 30000 for many callsigns
   * at once, with up to three tries. "callbook": 10000 when left out, for each request. "kvstore": the time limit of a lookup,
   * 5000 when left out.
   */
  readonly timeoutMs?: number;
  /** The folder that keeps the download; the user's cache folder, or `HAMKIT_CACHE_DIR`, when left out. */
  readonly cacheDir?: string;
  /** "logxml": the address that reports when the file last changed; the log service's own where `url` is left out. */
  readonly lastChangeUrl?: string;
  /** Uses the cached copy, or the embedded country file, without network access. */
  readonly offline?: boolean;
  /** Key of the log service, for "logapi", and for "logxml" without a local file. */
  readonly apikey?: string;
  /**
   * "callbook": "qrz", which needs a subscription, or "hamqth", which is free of charge; "qrz" when left out. Both have the
   * current data of a callsign's owner at home: HC2/DH1TW has an entry only where its owner made one, and the timestamp makes no
   * difference. With a country file behind the callbook its country is known.
   */
  readonly callbook?: CallbookName;
  /** "callbook": version of QRZ's interface, or "current"; "1.3.3" when left out. */
  readonly apiv?: string;
  /** "callbook": name of the account. */
  readonly username?: string;
  /**
   * "callbook": password of that account. It is sent to the callbook alone and is in no message. After a refused login the same
   * `LookupLib` sends no further request, because callbooks lock accounts after too many attempts.
   */
  readonly pwd?: string;
  /**
   * A key/value store: a client or cluster client of ioredis or redis (node-redis), connected, or a `Map`. Needed by
   * "kvstore"; the default target of `copyDataInKvstore` for other sources.
   */
  readonly kvInstance?: StoreClient;
  /** The prefix of the data set's keys, such as "CF". */
  readonly kvPrefix?: string;
}

/** The options that a source may have. */
export type SourceOption = Exclude<keyof LookupLibOptions, "lookuptype" | "logger">;
export type SourceOptions = Pick<LookupLibOptions, SourceOption>;

/** The options that a setting, which is a text, may give. */
export type SettingOption = Exclude<SourceOption, "offline" | "timeoutMs">;

/** The methods of `LookupLib` that not every source answers. */
export type LookupMethod =
  | "copyDataInKvstore"
  | "isInvalidOperation"
  | "lookupCallsign"
  | "lookupEntity"
  | "lookupPrefix"
  | "lookupZoneException";

/** The facts of a source. */
export interface SourceDescriptor<Found extends object = object, Entity extends object = object> {
  /** What it is, for README and the documents. */
  readonly title: string;
  /** A table is data in memory and answers at once, a service is asked for each callsign. */
  readonly kind: LookupSource["kind"];
  /** The options of `LookupLib` that it has. */
  readonly options: readonly SourceOption[];
  /** Options without which it cannot be asked; a table does without them where `filename` or `offline` is set. */
  readonly requires: readonly SettingOption[];
  /** The settings (environment variables) of the command line, by option. That of `kvInstance` is the address of the store. */
  readonly settings: Readonly<Partial<Record<SettingOption, string>>>;
  readonly methods: readonly LookupMethod[];
  /** @param options Those of `options` alone. */
  readonly load: (
    options: SourceOptions,
    warn: (message: string) => void,
  ) => Promise<LookupSource<Found, Entity>>;
}

/** In the order of the documents. */
export const SOURCES: { readonly [Type in LookupType]: SourceDescriptor<RecordOf<Type>, EntityOf<Type>> } = {
  countryfile: {
    title: "country file (cty), downloaded, local or embedded",
    kind: "table",
    options: ["filename", "url", "offline", "cacheDir"],
    requires: [],
    settings: {},
    methods: ["lookupCallsign", "lookupPrefix", "lookupEntity", "copyDataInKvstore"],
    async load(options, warn) {
      const { loadCountryFile } = await import("./country-file/country-file-loader.js");
      return loadCountryFile({ ...options, now: () => Date.now(), warn });
    },
  },
  logxml: {
    title: "the log service's file, with the rules of former times",
    kind: "table",
    options: ["filename", "apikey", "url", "lastChangeUrl", "offline", "cacheDir"],
    requires: ["apikey"],
    settings: { apikey: "HAMKIT_LOG_APIKEY", url: "HAMKIT_LOGXML_URL" },
    methods: [
      "lookupCallsign",
      "lookupPrefix",
      "lookupEntity",
      "isInvalidOperation",
      "lookupZoneException",
      "copyDataInKvstore",
    ],
    async load(options, warn) {
      const { loadLogXml } = await import("./log-xml/log-xml-loader.js");
      return loadLogXml({ ...options, now: () => Date.now(), warn });
    },
  },
  logapi: {
    title: "the log service's API, asked for each callsign",
    kind: "service",
    options: ["apikey", "url", "bulkUrl", "timeoutMs"],
    requires: ["apikey"],
    settings: { apikey: "HAMKIT_LOG_APIKEY", url: "HAMKIT_LOGAPI_URL" },
    methods: ["lookupCallsign"],
    async load(options, warn) {
      const { createLogApi } = await import("./log-api/log-api.js");
      return createLogApi({ ...options, apikey: options.apikey, warn });
    },
  },
  callbook: {
    title: "QRZ.com or HamQTH.com: name, address and QSL of a callsign's owner",
    kind: "service",
    options: ["callbook", "url", "apiv", "username", "pwd", "timeoutMs"],
    requires: ["username", "pwd"],
    settings: {
      callbook: "HAMKIT_CALLBOOK",
      url: "HAMKIT_CALLBOOK_URL",
      username: "HAMKIT_CALLBOOK_USERNAME",
      pwd: "HAMKIT_CALLBOOK_PASSWORD",
    },
    methods: ["lookupCallsign", "lookupEntity"],
    async load({ callbook: service, ...options }, warn) {
      const { createCallbook } = await import("./callbook/callbook.js");
      return createCallbook({ ...options, service, warn });
    },
  },
  kvstore: {
    title: "a key/value store that several programs share",
    kind: "service",
    options: ["kvInstance", "kvPrefix", "timeoutMs"],
    requires: ["kvInstance", "kvPrefix"],
    settings: { kvInstance: "HAMKIT_STORE_URL", kvPrefix: "HAMKIT_STORE_PREFIX" },
    methods: ["lookupCallsign", "lookupPrefix", "lookupEntity", "isInvalidOperation", "lookupZoneException"],
    async load({ kvInstance, kvPrefix, timeoutMs }, warn) {
      const { createKvstore } = await import("./kvstore/kvstore.js");
      return createKvstore({ kvInstance, kvPrefix, timeoutMs, warn });
    },
  },
};

/** The names of the sources, in the order of the documents. */
export const SOURCE_NAMES = Object.keys(SOURCES) as readonly LookupType[];

export function isLookupType(text: string): text is LookupType {
  return Object.hasOwn(SOURCES, text);
}

/** The sources that answer a method of `LookupLib`. */
export function sourcesWith(method: LookupMethod): readonly LookupType[] {
  return SOURCE_NAMES.filter((name) => SOURCES[name].methods.includes(method));
}

/** Loads a source with those of the options that it has. */
export async function loadSource<Type extends LookupType>(
  type: Type,
  options: LookupLibOptions<Type>,
  warn: (message: string) => void,
): Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>> {
  const source = SOURCES[type];
  return source.load(Object.fromEntries(source.options.map((name) => [name, options[name]])), warn);
}
