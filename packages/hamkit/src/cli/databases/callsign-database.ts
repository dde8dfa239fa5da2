/** Opens the callsign database that the options of a command select. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

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
import type { ChosenDatabase, DataOptions } from "./lookup-options.js";
import type { Session } from "../session.js";
import { withStatus } from "../terminal/progress.js";
import { IOError } from "../../errors.js";

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
  const settings = needsSettings ? await readSettings(io.env, credentials) : {};
  const common = { offline, cacheDir: userCacheFolder(io.env), logger: { warn } };
  return Promise.all(databases.map((database) => optionsOf(database, common, settings, session)));
}

/** The options of a database: those of the command line and those that come from settings. */
async function optionsOf(
  { type: lookuptype, file: filename }: ChosenDatabase,
  common: LookupLibOptions,
  settings: Settings,
  { atEnd }: Session,
): Promise<ChainedOptions<LookupType>> {
  const { kind, requires, settings: names } = SOURCES[lookuptype];
  const own: Partial<Record<SettingOption, string>> = {};
  for (const [option, name] of Object.entries(names)) {
    const value = settings[name];
    if (value !== undefined) own[option as SettingOption] = value;
  }
  const isLocal = kind === "table" && (common.offline || filename !== undefined);
  if (!isLocal && requires.some((option) => own[option] === undefined)) throw missingSettings(lookuptype);
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

function missingSettings(type: LookupType): UsageError {
  const { requires, settings, kind } = SOURCES[type];
  const names = requires.map((option) => settings[option]).join(" and ");
  const orFile = kind === "table" ? `, or a local file: --in ${type}=PATH` : "";
  return new UsageError(`${type} needs the setting${requires.length > 1 ? "s" : ""} ${names}${orFile}`);
}

// Keys, accounts and addresses of services: from the environment or from a file, never from the command line, which other users
// and the shell's history can read.

const NAMES: ReadonlySet<string> = new Set(
  Object.values(SOURCES).flatMap(({ settings }) => Object.values(settings)),
);

/** Values by their names, such as HAMKIT_LOG_APIKEY. */
type Settings = Readonly<Partial<Record<string, string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings; the environment takes precedence over the file.
 *
 * @param path The file; when left out, the one that `HAMKIT_CREDENTIALS` names, or else the user's own if it exists.
 * @throws {IOError} The file can't be read.
 * @throws {UsageError} Other users can read the file, or a line is not a setting.
 */
async function readSettings(env: Environment, path?: string): Promise<Settings> {
  const settings = await readSettingsFile(path ?? env["HAMKIT_CREDENTIALS"] ?? (await ownFile(env)));
  for (const name of NAMES) {
    const value = env[name];
    if (value !== undefined && value !== "") settings[name] = value;
  }
  return settings;
}

/** The user's own file, if it exists. */
async function ownFile({ XDG_CONFIG_HOME, HOME, APPDATA }: Environment): Promise<string | undefined> {
  const folder = XDG_CONFIG_HOME ?? APPDATA ?? (HOME === undefined ? undefined : join(HOME, ".config"));
  if (folder === undefined) return undefined;
  const path = join(folder, "hamkit", "credentials");
  return stat(path).then(
    () => path,
    () => undefined,
  );
}

async function readSettingsFile(path: string | undefined): Promise<Partial<Record<string, string>>> {
  if (path === undefined) return {};
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new UsageError(`${path} can be read by other users; chmod 600 makes it yours alone`);
    }
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new IOError(path, "the credentials can't be read", { cause });
  }
  return parseSettings(text, path);
}

/** Reads lines `NAME=value`; empty lines and comments (#) are ignored. */
function parseSettings(text: string, path: string): Partial<Record<string, string>> {
  const settings: Partial<Record<string, string>> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, name = "", value = ""] = /^\s*([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    // The message does not quote the line, which may hold a password.
    if (!NAMES.has(name)) {
      throw new UsageError(`${path}, line ${index + 1}: expected one of ${[...NAMES].join(", ")}`);
    }
    settings[name] = value;
  }
  return settings;
}
