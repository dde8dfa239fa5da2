/** Where the country file comes from when nobody says: the cache, the site, the old cache, the embedded data. */
import { CountryFileError } from "../errors.js";
import { cachedDownload, cachePathOf, readCached } from "../io/cached-download.js";
import type { DownloadOptions } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { missingEntries } from "../lookup/missing-entries.js";
import { createCountryFile, loadEmbeddedCountryFile, type CountryFile } from "./country-file.js";

export const COUNTRY_FILE_URL = "https://www.country-files.com/cty/cty.plist";

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export interface CountryFileLoaderOptions {
  /** A local file; then neither cache nor network is used. */
  readonly filename?: string | undefined;
  /** The address of the download; the country-file site when left out. */
  readonly url?: string | undefined;
  /** Leaves the network alone. */
  readonly offline?: boolean | undefined;
  /** Where the download is kept; the user's cache when left out. */
  readonly cacheDir?: string | undefined;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** A download with fewer entities is no whole country file; 300 when left out. The DXCC list has 340. */
  readonly leastEntities?: number;
  /** Of the download. */
  readonly limits?: Pick<DownloadOptions, "timeoutMs" | "retries" | "retryDelayMs"> | undefined;
}

/**
 * The country file. Without `filename` this never fails: it falls back to older data and warns with its date.
 *
 * @throws {IOError} The local file can't be read.
 * @throws {CountryFileError} The local file is no country file.
 */
export async function loadCountryFile(options: CountryFileLoaderOptions): Promise<CountryFile> {
  const { filename, warn } = options;
  if (filename !== undefined) return localFile(filename, warn);

  const { url = COUNTRY_FILE_URL, offline = false, cacheDir, now, limits, leastEntities = 300 } = options;
  const cachePath = cachePathOf("country-file", { url, folder: cacheDir });
  const parse = async (content: Uint8Array): Promise<CountryFile> => {
    const file = await createCountryFile(content, { name: url, warn });
    if (file.entityCount >= leastEntities) return file;
    const expected = `a country file of at least ${leastEntities} entities`;
    throw new CountryFileError({ file: url, expected, found: String(file.entityCount) });
  };
  if (offline) return (await readCached({ url, cachePath, parse }))?.value ?? loadEmbeddedCountryFile();

  const outcome = await cachedDownload({
    url,
    cachePath,
    maxAgeMs: WEEK_MS,
    now,
    parse,
    warn,
    ...QUICK,
    ...limits,
  });
  if (outcome.kind === "current") {
    const { value, replaced } = outcome;
    const missing = replaced && missingEntries("country file", replaced, value);
    if (missing !== undefined) warn(missing);
    return value;
  }
  const { failure, kept } = outcome;
  const reason = failure instanceof Error ? failure.message : String(failure);
  if (kept) {
    warn(`Using the copy of the country file of ${day(kept.checkedAt)}: no newer one to be had. ${reason}`);
    return kept.value;
  }
  const embedded = await loadEmbeddedCountryFile();
  warn(`Using the embedded country file of ${embedded.date}: no newer one to be had. ${reason}`);
  return embedded;
}

/** Current entities of the DXCC list. A file with fewer than {@link MAX_SELECTED} is a selection made by hand. */
const DXCC_ENTITIES = 340;
const MAX_SELECTED = 50;

/** A cty.csv or cty.dat that was cut off at the end of a record can be told by its entities alone: neither has a checksum. */
async function localFile(filename: string, warn: (message: string) => void): Promise<CountryFile> {
  const file = await createCountryFile(await readBytes(filename), { name: filename, warn });
  const { entityCount } = file;
  if (entityCount > MAX_SELECTED && entityCount < DXCC_ENTITIES)
    warn(
      `${filename} has ${entityCount} of the ${DXCC_ENTITIES} DXCC entities: the end of the file may be missing`,
    );
  return file;
}

/** There is always older data, so nobody has to wait long for a network that doesn't answer. */
const QUICK = { timeoutMs: 5000, retries: 1 } as const;

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
