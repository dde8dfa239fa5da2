/** Where log XML comes from: a local file, or the service, which wants a key and says when the file last changed. */
import { APIKeyMissingError, IOError } from "../errors.js";
import { cachedDownload, cachePathOf, readCached, type Cached } from "../io/cached-download.js";
import { download, type DownloadOptions } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { gunzip, isGzip } from "../io/gunzip.js";
import { missingEntries } from "../lookup/missing-entries.js";
import { createLogXml, type LogXml } from "./log-xml.js";

const LOG_XML_URL = "https://cdn.clublog.org/cty.php";
const LAST_CHANGE_URL = "https://clublog.org/cty_last_change.php";

/** What messages call the service: its address holds the key. */
const NAME = "log XML service";
const DAY_MS = 24 * 60 * 60 * 1000;
/** The file has some 10 MB. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;

export interface LogXmlLoaderOptions {
  /** A local file, unpacked or as the service sends it; then neither key, cache nor network is used. */
  readonly filename?: string | undefined;
  /** The key that the service gave. */
  readonly apikey?: string | undefined;
  /** The address of the download, without the key; the service's own when left out. */
  readonly url?: string | undefined;
  /** The address that tells when the file last changed; the service's own when this and `url` are left out. */
  readonly lastChangeUrl?: string | undefined;
  /** Leaves the network alone: the kept copy is taken, whatever its age. */
  readonly offline?: boolean | undefined;
  /** Where the download is kept; the user's cache when left out. */
  readonly cacheDir?: string | undefined;
  readonly now: () => number;
  readonly warn: (message: string) => void;
  /** Of the download. */
  readonly limits?: Pick<DownloadOptions, "timeoutMs" | "retries" | "retryDelayMs"> | undefined;
}

/**
 * The log XML. A copy is kept for a day; then the service is asked whether the file has changed since. Where no newer one
 * is to be had an old copy is used, with a warning that tells its date.
 *
 * @throws {APIKeyMissingError} There is neither file nor key, or the service refused the key.
 * @throws {IOError} The local file can't be read; or there is no copy, and none to be had from the service.
 * @throws {LogXmlError} The local file is no log XML.
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
    // Nobody else shall get the key.
    redirect: "same-origin",
    cachePath,
    maxAgeMs: DAY_MS,
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
  throw new IOError(NAME, "there is no copy of the file, and the network was not to be asked");
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

/** Changes so late may not have been in what the service's network of servers sent. */
const MARGIN_MS = 60 * 60 * 1000;
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/;

/** Whether the service says so; not where it says nothing that can be read. */
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
