/** The options of commands that look callsigns up, and the callsign database that they ask for. */
import { Option, type Command } from "commander";

import type { Identification, TableSource } from "../lookup/ports.js";
import { atOption } from "./at-option.js";
import type { Session } from "./session.js";

export interface LookupOptions {
  readonly at?: Date;
  readonly file?: string;
  readonly offline?: boolean;
}

/** Adds `--at`, `--file` and `--offline` to a command. */
export function addLookupOptions(command: Command): Command {
  return command
    .addOption(atOption())
    .addOption(new Option("--file <path>", "take this country file: cty.plist, cty.dat or cty.csv"))
    .addOption(new Option("--offline", "take the kept or the embedded country file, without asking the network"));
}

/** What commands ask of a callsign database. */
export interface CallsignDatabase {
  readonly name: string;
  /** Date of the data, `YYYY-MM-DD`, where it tells. */
  readonly date: string | undefined;
  identify(callsign: string, at: Date): Promise<Identification>;
}

/** A database that is opened with the first question: a command that gets locators alone needs none. */
export function lazyDatabase(options: LookupOptions, session: Session): () => Promise<CallsignDatabase> {
  let database: Promise<CallsignDatabase> | undefined;
  return () => (database ??= openDatabase(options, session));
}

/**
 * The database that the options name.
 *
 * @throws {IOError} The file can't be read.
 * @throws {CountryFileError} It is no country file.
 */
async function openDatabase({ file, offline = false }: LookupOptions, session: Session): Promise<CallsignDatabase> {
  const [{ LookupLib }, { Callinfo }, { userCacheFolder }] = await Promise.all([
    import("../lookuplib.js"),
    import("../callinfo.js"),
    import("../io/cached-download.js"),
  ]);
  const lookup = new LookupLib({
    offline,
    cacheDir: userCacheFolder(session.io.env),
    logger: { warn: session.warn },
    ...(file !== undefined && { filename: file }),
  });
  const source = await lookup.source();
  const callinfo = new Callinfo(lookup);
  return {
    name: source.name,
    date: dateOf(source),
    identify: (callsign, at) => callinfo.identify(callsign, at),
  };
}

function dateOf(source: { readonly kind: string } | TableSource): string | undefined {
  return "date" in source ? source.date : undefined;
}
