/** Loads the country file: a local file, the cached copy, the download, an older copy, or the embedded data. */
import { CountryFileError } from "../errors.js";
import { MAX_AGE_MS } from "../io/cache-ages.js";
import { cachedDownload, cachePathOf, readCached } from "../io/cached-download.js";
import type { DownloadOptions } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { missingEntries } from "../lookup/table.js";
import { createCountryFile, loadEmbeddedCountryFile, type CountryFile } from "./country-file.js";

export const COUNTRY_FILE_URL = "https://www.country-files.com/cty/cty.plist";

export interface CountryFileLoaderOptions {
  /** A local file, used without cache and network. */
  readonly filename?: string | undefined;
  /** The address of the download; the country-file site when left out. */
  readonly url?: string | undefined;
  /** Uses no network. */
  readonly offline?: boolean | undefined;
  /** Folder of the cached download; the user's cache when left out. */
  readonly cacheDir?: string | undefined;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** A download with fewer entities is incomplete; 300 when left out. The DXCC list has 340. */
  readonly minEntities?: number;
  readonly limits?: Pick<DownloadOptions, "timeoutMs" | "retries" | "retryDelayMs"> | undefined;
}

/**
 * Loads the country file. Without `filename` this never fails: it falls back to older data and warns with its date.
 *
 * @throws {IOError} The local file can't be read.
 * @throws {CountryFileError} The local file is not a country file.
 */
export async function loadCountryFile(options: CountryFileLoaderOptions): Promise<CountryFile> {
  const { filename, warn } = options;
  if (filename !== undefined) return localFile(filename, warn);

  const { url = COUNTRY_FILE_URL, offline = false, cacheDir, now, limits, minEntities = 300 } = options;
  const cachePath = cachePathOf("country-file", { url, folder: cacheDir });
  const parse = async (content: Uint8Array): Promise<CountryFile> => {
    const file = await createCountryFile(content, { name: url, warn });
    if (file.entityCount >= minEntities) return file;
    const expected = `a country file of at least ${minEntities} entities`;
    throw new CountryFileError({ file: url, expected, found: String(file.entityCount) });
  };
  if (offline) return (await readCached({ url, cachePath, parse }))?.value ?? loadEmbeddedCountryFile();

  const outcome = await cachedDownload({
    url,
    cachePath,
    maxAgeMs: MAX_AGE_MS.countryFile,
    now,
    parse,
    warn,
    ...LIMITS,
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
    warn(`Using the copy of the country file of ${day(kept.checkedAt)}: the download failed. ${reason}`);
    return kept.value;
  }
  const embedded = await loadEmbeddedCountryFile();
  warn(`Using the embedded country file of ${embedded.date}: the download failed. ${reason}`);
  return embedded;
}

/** Current entities of the DXCC list. A file with at most {@link MAX_SELECTED} is a selection made by hand. */
const DXCC_ENTITIES = 340;
const MAX_SELECTED = 50;

/** A cty.csv or cty.dat has no checksum: only the number of entities shows that it was truncated at the end of a record. */
async function localFile(filename: string, warn: (message: string) => void): Promise<CountryFile> {
  const file = await createCountryFile(await readBytes(filename), { name: filename, warn });
  const { entityCount } = file;
  if (entityCount > MAX_SELECTED && entityCount < DXCC_ENTITIES)
    warn(
      `${filename} has ${entityCount} of the ${DXCC_ENTITIES} DXCC entities: the end of the file may be missing`,
    );
  return file;
}

/** Short, because older data is always available. */
const LIMITS = { timeoutMs: 5000, retries: 1 } as const;

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
