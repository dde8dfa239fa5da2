/** The kinds of database: what each is loaded with, and what it can be asked. */
import type { Logger } from "./io/default-logger.js";
import type { LookupSource } from "./lookup/ports.js";
import type { CallsignRecord, EntityRecord } from "./lookup/record.js";
import type { CallbookEntity, CallbookRecord } from "./callbook/callbook-record.js";
import type { CallbookName } from "./callbook/callbook.js";
import { loadCountryFile } from "./country-file/country-file-loader.js";
import type { StoreClient } from "./kvstore/kvstore-client.js";
import { createKvstore } from "./kvstore/kvstore.js";
import { createLogApi } from "./log-api/log-api.js";
import { loadLogXml } from "./log-xml/log-xml-loader.js";

/** The kinds of database that this version offers. */
export type LookupType = "countryfile" | "logapi" | "logxml" | "callbook" | "kvstore";

/** What a kind of database tells of a callsign. */
export type RecordOf<Type extends LookupType> = Type extends "callbook" ? CallbookRecord : CallsignRecord;

/** What a kind of database tells of a DXCC entity. */
export type EntityOf<Type extends LookupType> = Type extends "callbook" ? CallbookEntity : EntityRecord;

/** What a database is loaded with. */
export interface LookupLibOptions<Type extends LookupType = LookupType> {
  /** The kind of database; "countryfile" when left out. */
  readonly lookuptype?: Type;
  /**
   * A local file. "countryfile": cty.plist, cty.dat or cty.csv, told apart by content; without it the file is downloaded
   * once a week, and an older copy or the embedded data is used, with a warning, when there is no network. "logxml":
   * cty.xml, packed or not; without it the file is downloaded with the `apikey`, when the service says that it has changed,
   * and an older copy is used, with a warning, when there is no network.
   */
  readonly filename?: string;
  /** Is told of old data and of records left out; Node's process warnings are when this is left out. */
  readonly logger?: Logger;
  /**
   * Where the download comes from, or the service is asked; its own address when left out. Of a callbook the base of its
   * addresses, without the version.
   */
  readonly url?: string;
  /** "logapi": where the service is asked for many callsigns at once; `bulkdxcc` beside `url` when left out. */
  readonly bulkUrl?: string;
  /**
   * "logapi": how long nothing may come from the service before a try is given up, of up to three, in milliseconds; 10000 when left
   * out, and 30000 for many callsigns at once. "callbook": the same for each of its requests. "kvstore": how long the store may
   * take; 5000 when left out.
   */
  readonly timeoutMs?: number;
  /** Where the download is kept; the user's cache folder, or `HAMKIT_CACHE_DIR`, when left out. */
  readonly cacheDir?: string;
  /** "logxml": the address that tells when the file last changed; the log service's own where `url` is left out. */
  readonly lastChangeUrl?: string;
  /** Takes the kept copy, of a country file the embedded data too, without asking the network. */
  readonly offline?: boolean;
  /** Key of the log service, for "logapi", and for "logxml" without a local file. */
  readonly apikey?: string;
  /**
   * "callbook": the one to ask, "qrz", which needs a subscription, or "hamqth", which is free of charge. The first when left
   * out. Both know who has a callsign at home and today: HC2/DH1TW has an entry only where its owner made one, and the time
   * asked for makes no difference. With a country file behind the callbook its country is known.
   */
  readonly callbook?: CallbookName;
  /** "callbook": version of QRZ's interface, or "current"; "1.3.3" when left out. */
  readonly apiv?: string;
  /** "callbook": name of the account. */
  readonly username?: string;
  /**
   * "callbook": password of that account. It is sent to the callbook alone, and told in no message. A callbook that refuses
   * the account is not asked again by the same `LookupLib`, because callbooks lock accounts that try too often.
   */
  readonly pwd?: string;
  /**
   * A key/value store: a client or cluster client of ioredis or redis (node-redis), connected, or a `Map`. Needed by a
   * kvstore; other types copy there when `copyDataInKvstore` is given none.
   */
  readonly kvInstance?: StoreClient;
  /** What the keys of the data set begin with, such as "CF". */
  readonly kvPrefix?: string;
}

/** Loads a database. */
type Loader<Type extends LookupType> = (
  options: LookupLibOptions & { readonly logger: Logger },
) => Promise<LookupSource<RecordOf<Type>, EntityOf<Type>>>;

export const LOADERS: { readonly [Type in LookupType]: Loader<Type> } = {
  countryfile: ({ filename, url, offline, cacheDir, logger }) =>
    loadCountryFile({
      filename,
      url,
      offline,
      cacheDir,
      now: () => Date.now(),
      warn: (message) => logger.warn(message),
    }),
  logxml: ({ filename, apikey, url, lastChangeUrl, offline, cacheDir, logger }) =>
    loadLogXml({
      filename,
      apikey,
      url,
      lastChangeUrl,
      offline,
      cacheDir,
      now: () => Date.now(),
      warn: (message) => logger.warn(message),
    }),
  logapi: async ({ apikey, url, bulkUrl, timeoutMs, logger }) =>
    createLogApi({ apikey, url, bulkUrl, timeoutMs, warn: (message) => logger.warn(message) }),
  callbook: async ({ callbook: service, logger, ...options }) => {
    // Its XML parser takes time to load, and others don't need it.
    const { createCallbook } = await import("./callbook/callbook.js");
    return createCallbook({ ...options, service, warn: (message) => logger.warn(message) });
  },
  kvstore: async ({ kvInstance, kvPrefix, timeoutMs, logger }) =>
    createKvstore({ kvInstance, kvPrefix, timeoutMs, warn: (message) => logger.warn(message) }),
};

/** The types that offer a question. */
export const OFFERED_BY = {
  copyDataInKvstore: ["countryfile", "logxml"],
  isInvalidOperation: ["logxml", "kvstore"],
  lookupCallsign: ["countryfile", "logapi", "logxml", "callbook", "kvstore"],
  lookupEntity: ["countryfile", "logxml", "callbook", "kvstore"],
  lookupPrefix: ["countryfile", "logxml", "kvstore"],
  lookupZoneException: ["logxml", "kvstore"],
} as const satisfies Record<string, readonly LookupType[]>;

/** A question that not all kinds of database offer. */
export type LookupMethod = keyof typeof OFFERED_BY;
