/** Files that services publish: from a copy of one's own, or downloaded, kept, and renewed when old. */
import { IOError } from "../../errors.js";
import { cachedDownload, cachePathOf, readCached, userCacheFolder } from "../../io/cached-download.js";
import { readBytes } from "../../io/file.js";
import { problemOf } from "../exit-code.js";
import { momentText } from "../input/moment.js";
import type { Session } from "../session.js";
import { printable } from "../terminal/table.js";

export interface PublicFile<Value> {
  /** What messages call it: "the list of the logbook". */
  readonly title: string;
  /** What the kept copy is called. */
  readonly cacheName: string;
  /** Where it is published. */
  readonly url: string;
  /** A kept copy that is younger is taken without asking. */
  readonly maxAgeMs: number;
  /** A larger one is refused. */
  readonly maxBytes: number;
  /** Makes a value of it, or throws an `IOError` or `ValueError`. */
  readonly read: (name: string, content: Uint8Array) => Promise<Value>;
}

export interface PublicFileOptions {
  /** A path or an address to take it from, in place of where it is published. */
  readonly from?: string | undefined;
  /** Takes the kept copy, however old, and leaves the network alone. */
  readonly offline?: boolean | undefined;
}

/** A file that was had. */
export interface OpenedFile<Value> {
  /** Its path or address. */
  readonly name: string;
  readonly value: Value;
  /** When its server last said that this is the current version; `undefined` for a local file. */
  readonly checkedAt: Date | undefined;
}

/**
 * Gets a file. Where there is no newer one to be had, an old copy is used with a warning.
 *
 * @throws {IOError} @throws {ValueError} It can't be had, or is another file.
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
  warn(`Using the copy of ${title} of ${momentText(kept.checkedAt)}: no newer one to be had. ${message}`);
  return { name: url, ...kept };
}

/** "checked 2024-06-30 12:00:00 UTC" of a download, or the path of a file. */
export function ageText({ name, checkedAt }: OpenedFile<unknown>): string {
  return checkedAt === undefined ? printable(name, 200) : `checked ${momentText(checkedAt)}`;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
