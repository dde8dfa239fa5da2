/** The callsign database that the options of a command name. */
import { Callinfo, type Identification } from "../callinfo.js";
import { userCacheFolder } from "../io/cached-download.js";
import { LookupLib } from "../lookuplib.js";
import type { LookupOptions } from "./lookup-options.js";
import type { Session } from "./session.js";

/** What commands ask of a callsign database. */
export interface CallsignDatabase {
  readonly name: string;
  /** Date of the data, `YYYY-MM-DD`; `undefined` where it doesn't tell. */
  readonly date: string | undefined;
  identify(callsign: string, at: Date): Promise<Identification>;
}

/**
 * Opens the database.
 *
 * @throws {IOError} The file of `--file` can't be read.
 * @throws {CountryFileError} It is no country file.
 */
export async function openDatabase(
  { file, offline = false }: LookupOptions,
  { io, warn }: Session,
): Promise<CallsignDatabase> {
  const lookup = new LookupLib({
    offline,
    cacheDir: userCacheFolder(io.env),
    logger: { warn },
    ...(file !== undefined && { filename: file }),
  });
  const source = await lookup.source();
  const callinfo = new Callinfo(lookup);
  return {
    name: source.name,
    date: source.kind === "table" ? source.date : undefined,
    identify: (callsign, at) => callinfo.identify(callsign, at),
  };
}
