/** Loads log XML: a local file, the cached copy, or the download, which needs a key. */
import { APIKeyMissingError, IOError } from "../errors.js";
import { MAX_AGE_MS } from "../io/cache-ages.js";
import { cachedDownload, cachePathOf, readCached, type Cached } from "../io/cached-download.js";
import { download, type DownloadOptions } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { gunzip, isGzip } from "../io/unzip.js";
import { missingEntries } from "../lookup/table.js";
import { createLogXml, type LogXml } from "./log-xml.js";

const LOG_XML_URL = "https://cdn.clublog.org/cty.php";
const LAST_CHANGE_URL = "https://clublog.org/cty_last_change.php";

/** Name of the service in messages, because its address contains the key. */
const NAME = "log XML service";
/** The unpacked file has some 10 MB. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

export interface LogXmlLoaderOptions {
  /** A local file, packed or not, used without key, cache and network. */
  readonly filename?: string | undefined;
  /** API key of the log service. */
  readonly apikey?: string | undefined;
  /** The address of the download, without the key; the service's own when left out. */
  readonly url?: string | undefined;
  /** The address that reports when the file last changed; the service's own when this and `url` are left out. */
  readonly lastChangeUrl?: string | undefined;
  /** Uses the cached copy of any age, and no network. */
  readonly offline?: boolean | undefined;
  /** Folder of the cached download; the user's cache when left out. */
  readonly cacheDir?: string | undefined;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  readonly limits?: Pick<DownloadOptions, "timeoutMs" | "retries" | "retryDelayMs"> | undefined;
}

/**
 * Loads the log XML. A copy is cached for a day; then it is downloaded again if the service reports a change. If the download
 * fails, an older copy is used, with a warning that has its date.
 *
 * @throws {APIKeyMissingError} `filename` and `apikey` are missing, or the service refused the key.
 * @throws {IOError} The local file can't be read; or the download failed without a cached copy.
 * @throws {LogXmlError} The local file is not log XML.
 */
export async function loadLogXml(options: LogXmlLoaderOptions): Promise<LogXml> {
  const { filename, warn } = options;
  if (filename !== undefined) {
    return createLogXml(await unpacked(await readBytes(filename), filename), { name: filename, warn });
  }
  const { url = LOG_XML_URL, offline = false, cacheDir, now } = options;
  const cachePath = cachePathOf("log-xml", { url, folder: cacheDir });
  const parse = async (content: Uint8Array): Promise<LogXml> =>
    createLogXml(await unpacked(content, NAME), { name: NAME, warn });
  if (offline) return offlineCopy(await readCached({ url, cachePath, parse }));

  const apikey = requireKey(options.apikey);
  const outcome = await cachedDownload({
    url,
    requestUrl: withKey(url, apikey),
    name: NAME,
    // A redirect to another host would disclose the key.
    redirect: "same-origin",
    cachePath,
    maxAgeMs: MAX_AGE_MS.logXml,
    now,
    parse,
    warn,
    isUnchangedSince: (date) => isUnchangedSince(date, options),
    ...options.limits,
  });
  if (outcome.kind === "current") {
    const { value, replaced } = outcome;
    const missing = replaced && missingEntries("log XML", replaced, value);
    if (missing !== undefined) warn(missing);
    return value;
  }
  const { failure, kept } = outcome;
  if (isRefusal(failure)) throw new APIKeyMissingError(NAME, "the apikey was refused", { cause: failure });
  if (!kept) throw failure;
  const reason = failure instanceof Error ? failure.message : String(failure);
  warn(`Using the copy of the log XML of ${kept.checkedAt.toISOString().slice(0, 10)}. ${reason}`);
  return kept.value;
}

function offlineCopy(kept: Cached<LogXml> | undefined): LogXml {
  if (kept) return kept.value;
  throw new IOError(NAME, "there is no cached copy of the file, and offline mode does not download it");
}

function requireKey(apikey: string | undefined): string {
  if (apikey !== undefined && apikey.trim() !== "") return apikey.trim();
  throw new APIKeyMissingError(NAME, "log XML needs an apikey, or the filename of a local copy");
}

function withKey(url: string, apikey: string): string {
  const address = new URL(url);
  address.searchParams.set("api", apikey);
  return address.href;
}

function isRefusal(failure: unknown): boolean {
  return failure instanceof IOError && (failure.status === 401 || failure.status === 403);
}

async function unpacked(content: Uint8Array, name: string): Promise<Uint8Array> {
  return isGzip(content) ? gunzip(content, { name, maxBytes: MAX_UNPACKED_BYTES }) : content;
}

/** The service's content delivery network may send a file without the changes of this time. */
const MARGIN_MS = 60 * 60 * 1000;
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/;

/** Whether the service reports no later change; `false` for an unreadable report. */
async function isUnchangedSince(date: Date, options: LogXmlLoaderOptions): Promise<boolean> {
  const { url, lastChangeUrl = url === undefined ? LAST_CHANGE_URL : undefined, limits } = options;
  if (lastChangeUrl === undefined) return false;
  try {
    const answer = await download(lastChangeUrl, { ...limits, maxBytes: 1000, retries: 0 });
    if (answer.kind === "unchanged") return false;
    const [, day, time] = MOMENT.exec(new TextDecoder().decode(answer.content).trim()) ?? [];
    return Date.parse(`${day}T${time}Z`) < date.getTime() - MARGIN_MS;
  } catch {
    return false;
  }
}
