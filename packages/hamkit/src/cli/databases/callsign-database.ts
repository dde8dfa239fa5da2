/** Opens the callsign database that the options of a command select. */
import type { Identification } from "../../callinfo.js";
import { userCacheFolder } from "../../io/cached-download.js";
import { askMany } from "../../lookup/ask-many.js";
import type { Query, ServiceSource, TableSource } from "../../lookup/source.js";
import type { ChainedOptions, LookupLibOptions } from "../../lookuplib.js";
import {
  SOURCE_NAMES,
  SOURCES,
  type LookupType,
  type RecordOf,
  type SettingOption,
  type SourceOptions,
} from "../../sources.js";
import { UsageError } from "../exit-code.js";
import { howToSet, readSettings, type Settings } from "./credentials.js";
import type { ChosenDatabase, DataOptions } from "./lookup-options.js";
import type { CommandIo, Session } from "../session.js";
import { withStatus } from "../terminal/progress.js";

/** The options that select a database in memory, for messages. */
const TABLE_OPTIONS = SOURCE_NAMES.filter((name) => SOURCES[name].kind === "table")
  .map((name) => `--in ${name}`)
  .join(" or ");

/** The record of a callsign in any source. */
export type AnyRecord = RecordOf<LookupType>;

/** What a user waits for at the first start, and once a week. */
const LOADING = "Loading callsign data, which is downloaded at the first start and once a week";

/** What commands need of a callsign database. */
export interface CallsignDatabase {
  readonly name: string;
  /** Date of the data, `YYYY-MM-DD`; `undefined` where the source has none. */
  readonly date: string | undefined;
  identify(callsign: string, at: Date): Promise<Identification<AnyRecord>>;
  /** In the order of the queries; of a service in few requests. */
  identifyMany(queries: readonly Query[]): Promise<Identification<AnyRecord>[]>;
  /** Name of a DXCC entity; `undefined` where it is unknown. */
  entityName(adif: number): string | undefined;
}

/**
 * Opens the database.
 *
 * @throws {UsageError} The options contradict each other, or the credentials are missing or can't be used.
 * @throws {IOError} A local file can't be read.
 * @throws {CountryFileError} @throws {LogXmlError} A local file has another format.
 */
export async function openDatabase(options: DataOptions, session: Session): Promise<CallsignDatabase> {
  const { Callinfo } = await import("../../callinfo.js");
  const { LookupLib } = await import("../../lookuplib.js");
  const lookup = new LookupLib(await databasesOf(options, session));
  const source = await withStatus(session.io, LOADING, lookup.source());
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
 * Opens a database whose data is in memory, so that it answers synchronously.
 *
 * @throws {UsageError} The options select a service, or several databases; or as `openDatabase`, as all other errors.
 */
export async function openTable(options: DataOptions, session: Session): Promise<TableSource> {
  const [{ type } = { type: "countryfile" as const }, ...others] = options.in ?? [];
  if (others.length === 0 && SOURCES[type].kind === "table") {
    const { LookupLib } = await import("../../lookuplib.js");
    const lookup = new LookupLib(await databasesOf(options, session));
    const source = await withStatus(session.io, LOADING, lookup.source());
    if (source.kind === "table") return source;
  }
  throw new UsageError(`this command looks up in one database, ${TABLE_OPTIONS}`);
}

/** The databases that the options select, each by itself and in their order. */
export interface SelectedSources {
  readonly tables: readonly TableSource[];
  readonly services: readonly ServiceSource<AnyRecord, object>[];
}

/**
 * Opens each of the databases by itself.
 *
 * @throws {UsageError} None of them is searched in memory; or as `openDatabase`, as all other errors.
 */
export async function openSources(options: DataOptions, session: Session): Promise<SelectedSources> {
  const chosen: readonly ChosenDatabase[] = options.in ?? [{ type: "countryfile" }];
  if (!chosen.some(({ type }) => SOURCES[type].kind === "table")) {
    throw new UsageError(
      `--explain needs ${TABLE_OPTIONS}, alone or together with other databases: a service does not report how it matches`,
    );
  }
  const databases = await databasesOf(options, session);
  const { LookupLib } = await import("../../lookuplib.js");
  const opening = Promise.all(databases.map((database) => new LookupLib(database).source()));
  const sources = await withStatus(session.io, LOADING, opening);
  return {
    tables: sources.filter((source) => source.kind === "table"),
    services: sources.filter((source) => source.kind === "service"),
  };
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
  // A credentials file that is not needed is not read either.
  const needsSettings =
    credentials !== undefined || databases.some(({ type }) => Object.keys(SOURCES[type].settings).length > 0);
  const asked = databases.filter((database) => !isLocal(database, offline));
  const names = asked.flatMap(({ type }) => Object.values(SOURCES[type].settings));
  const settings = needsSettings ? await readSettings(io, names, credentials) : {};
  const common = { offline, cacheDir: userCacheFolder(io.env), logger: { warn } };
  return Promise.all(databases.map((database) => optionsOf(database, common, settings, session)));
}

/** Whether a database is a table of this computer. */
function isLocal({ type, file }: ChosenDatabase, offline: boolean = false): boolean {
  return SOURCES[type].kind === "table" && (offline || file !== undefined);
}

/** The options of a database: those of the command line and those that come from settings. */
async function optionsOf(
  database: ChosenDatabase,
  common: LookupLibOptions,
  settings: Settings,
  { atEnd, io }: Session,
): Promise<ChainedOptions<LookupType>> {
  const { type: lookuptype, file: filename } = database;
  const { requires, settings: names } = SOURCES[lookuptype];
  const own: Partial<Record<SettingOption, string>> = {};
  for (const [option, name] of Object.entries(names)) {
    const value = settings[name];
    if (value !== undefined) own[option as SettingOption] = value;
  }
  if (!isLocal(database, common.offline) && requires.some((option) => own[option] === undefined))
    throw await missingSettings(lookuptype, own, io);
  const { kvInstance: storeUrl, ...texts } = own;
  // The library checks their values, such as the name of the callbook.
  const options = {
    ...common,
    lookuptype,
    ...(filename !== undefined && { filename }),
    ...(texts as SourceOptions),
  };
  if (storeUrl === undefined) return options;
  const { connectStore } = await import("./store-connection.js");
  const kvInstance = await connectStore(storeUrl);
  atEnd(() => kvInstance.disconnect());
  return { ...options, kvInstance };
}

async function missingSettings(
  type: LookupType,
  own: Readonly<Partial<Record<SettingOption, string>>>,
  io: CommandIo,
): Promise<UsageError> {
  const { requires, settings, kind } = SOURCES[type];
  const missing = requires.filter((option) => own[option] === undefined);
  const orFile = kind === "table" ? `, or name a local file: --in ${type}=PATH` : "";
  return new UsageError(
    `${type}: ${await howToSet(
      missing.flatMap((option) => settings[option] ?? []),
      io,
    )}${orFile}`,
  );
}
