/** Where the country file comes from when nobody says: the cache, the site, the old cache, the embedded data. */
import { cachedDownload, cachePathOf, readCached } from "../io/cached-download.js";
import type { DownloadOptions } from "../io/download.js";
import { readBytes } from "../io/file.js";
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
  if (filename !== undefined) return createCountryFile(await readBytes(filename), { name: filename, warn });

  const { url = COUNTRY_FILE_URL, offline = false, cacheDir, now, limits } = options;
  const cachePath = cachePathOf("country-file.cache", cacheDir);
  const parse = (content: Uint8Array): Promise<CountryFile> =>
    createCountryFile(content, { name: url, warn });
  let reason = "no network by request";
  if (!offline) {
    try {
      return await cachedDownload({ url, cachePath, maxAgeMs: WEEK_MS, now, parse, warn, ...limits });
    } catch (failure) {
      reason = failure instanceof Error ? failure.message : String(failure);
    }
  }
  const kept = await readCached({ url, cachePath, parse });
  if (kept !== undefined) {
    if (!offline)
      warn(`Using the copy of the country file of ${day(kept.checkedAt)}: no newer one to be had. ${reason}`);
    return kept.value;
  }
  const embedded = await loadEmbeddedCountryFile();
  if (!offline)
    warn(`Using the embedded country file of ${embedded.date}: no newer one to be had. ${reason}`);
  return embedded;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
