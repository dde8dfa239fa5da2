/** The callsign database that the options of a command name. */
import { Callinfo, type Identification } from "../../callinfo.js";
import { userCacheFolder } from "../../io/cached-download.js";
import { askMany } from "../../lookup/ask-many.js";
import type { Query, TableSource } from "../../lookup/ports.js";
import {
  LookupLib,
  type CallbookName,
  type ChainedOptions,
  type LookupType,
  type RecordOf,
} from "../../lookuplib.js";
import { UsageError } from "../exit-code.js";
import type { DataOptions } from "./lookup-options.js";
import type { Session } from "../session.js";
import { readSettings, type Settings } from "./settings.js";

/** What any kind of database tells of a callsign. */
export type AnyRecord = RecordOf<LookupType>;

/** What commands ask of a callsign database. */
export interface CallsignDatabase {
  readonly name: string;
  /** Date of the data, `YYYY-MM-DD`; `undefined` where it doesn't tell. */
  readonly date: string | undefined;
  identify(callsign: string, at: Date): Promise<Identification<AnyRecord>>;
  /** The answers in the order of the questions, of a service in few requests. */
  identifyMany(queries: readonly Query[]): Promise<Identification<AnyRecord>[]>;
  /** Name of a DXCC entity; `undefined` where it is not known. */
  entityName(adif: number): string | undefined;
}

/**
 * Opens the database.
 *
 * @throws {UsageError} The options contradict each other, or the credentials are missing or can't be used.
 * @throws {IOError} A local file can't be read.
 * @throws {CountryFileError} @throws {LogXmlError} It is none.
 */
export async function openDatabase(options: DataOptions, session: Session): Promise<CallsignDatabase> {
  const lookup = new LookupLib(await databasesOf(options, session));
  const source = await lookup.source();
  const callinfo = new Callinfo(lookup);
  return {
    name: source.name,
    date: source.kind === "table" ? source.date : undefined,
    identify: (callsign, at) => callinfo.identify(callsign, at),
    identifyMany: async (queries) => askMany(source, queries),
    entityName: (adif) => (source.kind === "table" ? source.entity(adif)?.country : undefined),
  };
}

/**
 * Opens a database that answers at once, because its data is in memory: a country file, or log XML.
 *
 * @throws {UsageError} The options name another kind, or several; or as `openDatabase`, as all other errors.
 */
export async function openTable(options: DataOptions, session: Session): Promise<TableSource> {
  const [{ type } = { type: "countryfile" }, ...others] = options.in ?? [];
  if (others.length === 0 && (type === "countryfile" || type === "logxml")) {
    const source = await new LookupLib(await databasesOf(options, session)).source();
    if (source.kind === "table") return source;
  }
  throw new UsageError("this command looks up in one database, --in countryfile or --in logxml");
}

async function databasesOf(
  { file, in: chosen, credentials, offline = false }: DataOptions,
  session: Session,
): Promise<ChainedOptions<LookupType>[]> {
  const { io, warn } = session;
  if (file !== undefined && chosen !== undefined) {
    throw new UsageError("--file is a country file, and --in another database: write --in countryfile=PATH");
  }
  const databases = chosen ?? [{ type: "countryfile", ...(file !== undefined && { file }) }];
  // Without need no file of credentials is looked for.
  const needsSettings = credentials !== undefined || databases.some(({ type }) => type !== "countryfile");
  const settings = needsSettings ? await readSettings(io.env, credentials) : {};
  const common = { offline, cacheDir: userCacheFolder(io.env), logger: { warn } };
  return Promise.all(
    databases.map(({ type, file: filename }) =>
      optionsOf(type, { settings, session, common: { ...common, ...withoutAbsent({ filename }) } }),
    ),
  );
}

interface Given {
  readonly settings: Settings;
  readonly session: Session;
  readonly common: ServiceOptions;
}

async function optionsOf(
  lookuptype: LookupType,
  { settings, session, common }: Given,
): Promise<ChainedOptions<LookupType>> {
  const needsNoKey = common.filename !== undefined || common.offline === true;
  const own = await OPTIONS_OF[lookuptype](settings, { atEnd: session.atEnd, needsNoKey });
  return { ...common, lookuptype, ...own };
}

type ServiceOptions = Omit<ChainedOptions<LookupType>, "lookuptype">;

interface Circumstances extends Pick<Session, "atEnd"> {
  /** Whether the data is on this computer. */
  readonly needsNoKey: boolean;
}

/** What the settings give to a kind of database. */
type OptionsOf = (
  settings: Settings,
  circumstances: Circumstances,
) => ServiceOptions | Promise<ServiceOptions>;

const OPTIONS_OF: Readonly<Record<LookupType, OptionsOf>> = {
  countryfile: () => ({}),
  logapi: ({ HAMKIT_LOG_APIKEY: apikey, HAMKIT_LOGAPI_URL: url }) => {
    if (apikey === undefined) throw missingSettings("logapi");
    return withoutAbsent({ apikey, url });
  },
  logxml: ({ HAMKIT_LOG_APIKEY: apikey, HAMKIT_LOGXML_URL: url }, { needsNoKey }) => {
    if (apikey === undefined && !needsNoKey) throw missingSettings("logxml");
    return withoutAbsent({ apikey, url });
  },
  callbook: (settings) => {
    const { HAMKIT_CALLBOOK_USERNAME: username, HAMKIT_CALLBOOK_PASSWORD: pwd } = settings;
    if (username === undefined || pwd === undefined) throw missingSettings("callbook");
    // Other names are refused by the library, which knows the right ones.
    const callbook = settings.HAMKIT_CALLBOOK as CallbookName | undefined;
    return withoutAbsent({ callbook, username, pwd, url: settings.HAMKIT_CALLBOOK_URL });
  },
  kvstore: async ({ HAMKIT_STORE_URL: url, HAMKIT_STORE_PREFIX: kvPrefix }, { atEnd }) => {
    if (url === undefined || kvPrefix === undefined) throw missingSettings("kvstore");
    const { connectStore } = await import("./store-connection.js");
    const kvInstance = await connectStore(url);
    atEnd(() => kvInstance.disconnect());
    return { kvInstance, kvPrefix };
  },
};

const NEEDS = {
  logapi: "the setting HAMKIT_LOG_APIKEY",
  logxml: "the setting HAMKIT_LOG_APIKEY, or a local file: --in logxml=PATH",
  callbook: "the settings HAMKIT_CALLBOOK_USERNAME and HAMKIT_CALLBOOK_PASSWORD",
  kvstore: "the settings HAMKIT_STORE_URL and HAMKIT_STORE_PREFIX",
} as const;

function missingSettings(type: keyof typeof NEEDS): UsageError {
  return new UsageError(`${type} needs ${NEEDS[type]}`);
}

/** Options that were not set are not there. */
function withoutAbsent<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: NonNullable<Options[Name]> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Options]?: NonNullable<Options[Name]>;
  };
}
