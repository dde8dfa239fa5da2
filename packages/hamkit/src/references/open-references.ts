/** Opens a program's list: a local file, the cached copy, the download, or an older copy. */
import { IOError } from "../errors.js";
import { MAX_AGE_MS } from "../io/cache-ages.js";
import { cachedDownload, cachePathOf, readCached } from "../io/cached-download.js";
import { defaultLogger, type Logger } from "../io/default-logger.js";
import { readBytes } from "../io/file.js";
import { checkTimeout } from "../io/timers.js";
import { gunzip, isGzip } from "../io/unzip.js";
import { listOf, PROGRAM_LISTS } from "./program-lists.js";
import { createReferenceList, type ReferenceList } from "./reference-list.js";
import type { ReferenceProgram } from "./reference.js";

/** Where a list comes from. */
export interface OpenReferencesOptions {
  /** A local file, also compressed by gzip; no request is made then. */
  readonly filename?: string | undefined;
  /** Address of the list (http or https); default: that of the program. */
  readonly url?: string | undefined;
  /** Uses the cached copy of any age, and no network. */
  readonly offline?: boolean | undefined;
  /** Folder of the cached copy; default: the user's cache folder. */
  readonly cacheDir?: string | undefined;
  /** A younger copy is used without a request; default: a week. Programs renew their lists daily. */
  readonly maxAgeMs?: number | undefined;
  /** Idle timeout of each of two attempts, in milliseconds; default 10000. */
  readonly timeoutMs?: number | undefined;
  /** Receives warnings; default: Node's process warnings. */
  readonly logger?: Logger | undefined;
}

/** The lists have 24 MB (2024). */
export const MAX_REFERENCE_BYTES = 64 * 1024 * 1024;

/**
 * A program's list. It is downloaded once a week and cached; if the download fails, an older copy is used with a warning.
 *
 * hamkit ships none of these lists: their licenses don't allow it, or don't say. They belong to Parks on the Air, Summits on the
 * Air, World Wide Flora and Fauna, and Islands on the Air.
 *
 * @param program `"pota"`, `"sota"`, `"wwff"` or `"iota"`.
 * @throws {IOError} The list can't be read, or can't be downloaded and no copy exists.
 * @throws {ReferenceListError} The file is not this list; a `ValueError`.
 * @throws {ValueError} The program or an option is invalid.
 * @example
 * async function parksNear(locator: string): Promise<string[]> {
 *   const parks = await openReferences("pota");
 *   return parks.nearest(locator, { limit: 5 }).map(({ reference }) => reference.name);
 * }
 */
export async function openReferences(
  program: ReferenceProgram,
  options: OpenReferencesOptions = {},
): Promise<ReferenceList> {
  const { title } = listOf(program);
  const { timeoutMs, filename, logger = defaultLogger } = options;
  checkTimeout(timeoutMs);
  const warn = (message: string): void => logger.warn(message);
  const list =
    filename === undefined
      ? await downloadList(program, options, warn)
      : await parseReferenceFile(program, filename, await readBytes(filename));
  if (list.skipped > 0) warn(`Rows of ${title} without a valid reference, left out: ${list.skipped}`);
  return list;
}

/** The list in a file, which may be compressed by gzip. */
export async function parseReferenceFile(
  program: ReferenceProgram,
  name: string,
  content: Uint8Array,
): Promise<ReferenceList> {
  const bytes = isGzip(content) ? await gunzip(content, { name, maxBytes: MAX_REFERENCE_BYTES }) : content;
  return createReferenceList(program, bytes, { name });
}

async function downloadList(
  program: ReferenceProgram,
  {
    url = PROGRAM_LISTS[program].url,
    cacheDir,
    offline,
    maxAgeMs = MAX_AGE_MS.references,
    timeoutMs,
  }: OpenReferencesOptions,
  warn: (message: string) => void,
): Promise<ReferenceList> {
  const copy = {
    url,
    cachePath: cachePathOf(`references-${program}`, { url, folder: cacheDir }),
    parse: (content: Uint8Array) => parseReferenceFile(program, url, content),
  };
  if (offline === true) {
    const kept = await readCached(copy);
    if (kept) return kept.value;
    throw new IOError(url, "no copy of it was kept, and offline it is not downloaded");
  }
  const outcome = await cachedDownload({
    ...copy,
    maxAgeMs,
    now: Date.now,
    warn,
    maxBytes: MAX_REFERENCE_BYTES,
    retries: 1,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  if (outcome.kind === "current") return outcome.value;
  const { failure, kept } = outcome;
  if (!kept) throw failure;
  const day = kept.checkedAt.toISOString().slice(0, 10);
  const reason = failure instanceof Error ? failure.message : String(failure);
  warn(`Using the copy of ${PROGRAM_LISTS[program].title} of ${day}: the download failed. ${reason}`);
  return kept.value;
}
