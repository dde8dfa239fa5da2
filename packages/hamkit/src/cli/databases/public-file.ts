/** Opens files that services publish: a local copy, or a download that is cached and renewed. */
import { IOError } from "../../errors.js";
import { cachedDownload, cachePathOf, readCached, userCacheFolder } from "../../io/cached-download.js";
import { readBytes } from "../../io/file.js";
import { problemOf } from "../exit-code.js";
import { momentText } from "../input/moment.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/table.js";

export interface PublicFile<Value> {
  /** Name in messages: "the list of the logbook". */
  readonly title: string;
  /** Name of the cached copy. */
  readonly cacheName: string;
  /** Address of the download. */
  readonly url: string;
  /** A younger cached copy is used without a request. */
  readonly maxAgeMs: number;
  /** Maximum size of the download. */
  readonly maxBytes: number;
  /** Reads the content, or throws an `IOError` or `ValueError`. */
  readonly read: (name: string, content: Uint8Array) => Promise<Value>;
}

export interface PublicFileOptions {
  /** A path or an address instead of `url`. */
  readonly from?: string | undefined;
  /** Uses the cached copy of any age, and no network. */
  readonly offline?: boolean | undefined;
}

export interface OpenedFile<Value> {
  /** Its path or address. */
  readonly name: string;
  readonly value: Value;
  /** When the server last confirmed this version; `undefined` for a local file. */
  readonly checkedAt: Date | undefined;
}

/**
 * Opens a file. If the download fails, an old copy is used with a warning.
 *
 * @throws {IOError} @throws {ValueError} The file can't be read or downloaded, or has another format.
 */
export async function openPublicFile<Value>(
  file: PublicFile<Value>,
  { from = file.url, offline = false }: PublicFileOptions,
  { io, warn }: Session,
): Promise<OpenedFile<Value>> {
  if (!isAddress(from)) {
    return { name: from, value: await file.read(from, await readBytes(from)), checkedAt: undefined };
  }
  const url = from;
  const copy = {
    url,
    cachePath: cachePathOf(file.cacheName, { url, folder: userCacheFolder(io.env) }),
    parse: (content: Uint8Array) => file.read(url, content),
  };
  if (offline) {
    const kept = await readCached(copy);
    if (kept) return { name: url, ...kept };
    throw new IOError(url, "no copy of it was kept, and without --offline it would be downloaded");
  }
  const { maxAgeMs, maxBytes, title } = file;
  const now = (): number => io.now().getTime();
  const outcome = await cachedDownload({ ...copy, maxAgeMs, maxBytes, now, warn, retries: 1 });
  if (outcome.kind === "current") return { name: url, value: outcome.value, checkedAt: outcome.checkedAt };
  const { failure, kept } = outcome;
  if (!kept) throw failure;
  const { message } = problemOf(failure);
  warn(`Using the copy of ${title} of ${momentText(kept.checkedAt)}: the download failed. ${message}`);
  return { name: url, ...kept };
}

/** "checked 2024-06-30 12:00:00 UTC" of a download, or the path of a file. */
export function ageText({ name, checkedAt }: OpenedFile<unknown>): string {
  return checkedAt === undefined ? printable(name, 200) : `checked ${momentText(checkedAt)}`;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
