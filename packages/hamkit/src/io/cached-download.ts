/**
 * A downloaded file that is kept on disk, and asked for again when it has become old.
 *
 * The copy is one file with a header line in front, so that content and validators can't get out of step.
 */
import { homedir } from "node:os";
import { join } from "node:path";

import { IOError } from "../errors.js";
import { download, type DownloadOptions, type Validators } from "./download.js";
import { readBytesIfThere, writeWhole } from "./file.js";

export interface CachedDownloadOptions<Value> extends Omit<DownloadOptions, "validators"> {
  readonly url: string;
  /** Where the copy is kept. */
  readonly cachePath: string;
  /** A copy younger than this is taken without asking. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  /** Makes the value of the content, or throws; content that it refuses never replaces a copy. */
  readonly parse: (content: Uint8Array) => Promise<Value>;
  /** Is told that the copy could not be kept. */
  readonly warn: (message: string) => void;
}

/** What a copy on disk holds. */
export interface Cached<Value> {
  readonly value: Value;
  /** When the server last said that this is the current version. */
  readonly checkedAt: Date;
}

interface CopyHeader extends Validators {
  readonly url: string;
  readonly checkedAt: number;
}

interface Copy {
  readonly header: CopyHeader;
  readonly content: Uint8Array;
}

/** The kept copy, whatever its age; `undefined` where there is none of this address, or it is damaged. */
export async function readCached<Value>({
  url,
  cachePath,
  parse,
}: Pick<CachedDownloadOptions<Value>, "url" | "cachePath" | "parse">): Promise<Cached<Value> | undefined> {
  const copy = await readCopy(url, cachePath);
  return copy && parseCopy(copy, parse);
}

/**
 * The file's value: of the kept copy while it is young, else of what the server has.
 *
 * @throws {IOError} The server can't be reached; the copy is as it was.
 * @throws Whatever `parse` throws at what the server sent; the copy is as it was.
 */
export async function cachedDownload<Value>(options: CachedDownloadOptions<Value>): Promise<Value> {
  const { url, cachePath, maxAgeMs, now, parse, warn } = options;
  const copy = await readCopy(url, cachePath);
  const kept = copy && (await parseCopy(copy, parse));
  if (copy && kept && Math.abs(now() - copy.header.checkedAt) < maxAgeMs) return kept.value;

  const validators =
    copy && kept ? { etag: copy.header.etag, lastModified: copy.header.lastModified } : undefined;
  const answer = await download(url, { ...options, validators });
  if (answer.kind === "unchanged") {
    if (!copy || !kept)
      throw new IOError(url, "the server says unchanged, and there is nothing to be unchanged");
    await keep({ ...copy, header: { ...copy.header, checkedAt: now() } }, cachePath, warn);
    return kept.value;
  }
  const value = await parse(answer.content);
  await keep(
    { header: { url, checkedAt: now(), ...answer.validators }, content: answer.content },
    cachePath,
    warn,
  );
  return value;
}

/** Where a copy of this name is kept: in the given folder, or else in the user's cache. */
export function cachePathOf(name: string, folder: string | undefined): string {
  return join(folder ?? userCacheFolder(process.env), name);
}

/** This user's cache by the custom of the operating system, or as `HAMKIT_CACHE_DIR` says. */
export function userCacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { HAMKIT_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (HAMKIT_CACHE_DIR) return HAMKIT_CACHE_DIR;
  if (process.platform === "win32" && LOCALAPPDATA) return join(LOCALAPPDATA, "hamkit", "Cache");
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches", "hamkit");
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "hamkit");
}

async function readCopy(url: string, cachePath: string): Promise<Copy | undefined> {
  const bytes = await readBytesIfThere(cachePath);
  const lineEnd = bytes?.indexOf(10) ?? -1;
  if (bytes === undefined || lineEnd < 0) return undefined;
  const header = parseHeader(new TextDecoder().decode(bytes.subarray(0, lineEnd)));
  return header?.url === url ? { header, content: bytes.subarray(lineEnd + 1) } : undefined;
}

function parseHeader(text: string): CopyHeader | undefined {
  try {
    const header: unknown = JSON.parse(text);
    const isHeader =
      typeof header === "object" && header !== null && "url" in header && "checkedAt" in header;
    return isHeader && typeof header.checkedAt === "number" ? (header as CopyHeader) : undefined;
  } catch {
    return undefined;
  }
}

async function parseCopy<Value>(
  { header, content }: Copy,
  parse: (content: Uint8Array) => Promise<Value>,
): Promise<Cached<Value> | undefined> {
  try {
    return { value: await parse(content), checkedAt: new Date(header.checkedAt) };
  } catch {
    return undefined;
  }
}

/** A disk that takes no copy costs the next start a download, and this one nothing. */
async function keep(
  { header, content }: Copy,
  cachePath: string,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await writeWhole(cachePath, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]));
  } catch (failure) {
    warn(`The download could not be kept. ${failure instanceof Error ? failure.message : String(failure)}`);
  }
}
