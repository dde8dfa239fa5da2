/**
 * A downloaded file that is kept on disk, and asked for again when it has become old.
 *
 * The copy is one file: a line with the SHA-256 of all that follows, a line with the validators, the content. A copy that is
 * damaged, be it by one bit, counts as none.
 */
import { IOError } from "../errors.js";
import { download, type DownloadOptions, type Validators } from "./download.js";
import { readBytesIfThere, writeWhole } from "./file.js";
import { hasFiles, nodeModule } from "./node-modules.js";

export interface CachedDownloadOptions<Value> extends Omit<DownloadOptions, "validators"> {
  /** The address, as the copy remembers it. */
  readonly url: string;
  /** The address that is asked, where that has a secret in it; `url` when left out. */
  readonly requestUrl?: string | undefined;
  /** Where the copy is kept; `undefined` where there are no files, and so no copies. */
  readonly cachePath: string | undefined;
  /** A copy younger than this is taken without asking. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  /** Tells whether an old copy, last known to be current at that time, still is, without asking for the file. */
  readonly isUnchangedSince?: (date: Date) => Promise<boolean>;
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

/** The current version; or why there is none to be had, and the copy that was kept of an old one. */
export type CachedOutcome<Value> =
  | ({
      readonly kind: "current";
      /** The value of the copy that another content has just replaced. */
      readonly replaced?: Value | undefined;
    } & Cached<Value>)
  | { readonly kind: "failed"; readonly failure: unknown; readonly kept: Cached<Value> | undefined };

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
 * The file's value: of the kept copy while it is young, else of what the server has. A failure leaves the copy as it was.
 */
export async function cachedDownload<Value>(
  options: CachedDownloadOptions<Value>,
): Promise<CachedOutcome<Value>> {
  const { url, cachePath, maxAgeMs, now, parse } = options;
  const copy = await readCopy(url, cachePath);
  const kept = copy && (await parseCopy(copy, parse));
  if (copy && kept && Math.abs(now() - copy.header.checkedAt) < maxAgeMs) {
    return { kind: "current", ...kept };
  }
  try {
    const value = await renew(options, copy && kept && { copy, value: kept.value });
    const replaced = kept?.value === value ? undefined : kept?.value;
    return { kind: "current", value, replaced, checkedAt: new Date(now()) };
  } catch (failure) {
    return { kind: "failed", failure, kept };
  }
}

/** What the server has; or the copy's value, where the server says that it is the same. */
async function renew<Value>(
  options: CachedDownloadOptions<Value>,
  old: { readonly copy: Copy; readonly value: Value } | undefined,
): Promise<Value> {
  const { url, requestUrl = url, name = url, now, parse } = options;
  if (old && (await options.isUnchangedSince?.(new Date(old.copy.header.checkedAt)))) {
    return keepOld(old, options);
  }
  const answer = await download(requestUrl, { ...options, validators: old?.copy.header });
  if (answer.kind === "unchanged") {
    if (!old) throw new IOError(name, "the server says unchanged, and there is nothing to be unchanged");
    return keepOld(old, options);
  }
  const value = await parse(answer.content);
  await keep({ header: { url, checkedAt: now(), ...answer.validators }, content: answer.content }, options);
  return value;
}

/** Remembers that the copy was current a moment ago. */
async function keepOld<Value>(
  { copy, value }: { readonly copy: Copy; readonly value: Value },
  options: CachedDownloadOptions<Value>,
): Promise<Value> {
  await keep({ ...copy, header: { ...copy.header, checkedAt: options.now() } }, options);
  return value;
}

/**
 * Where the copy of a file from this address is kept: in the given folder, or else in the user's cache. `undefined` in a
 * browser, which keeps copies of its own.
 */
export function cachePathOf(
  name: string,
  { url, folder }: { url: string; folder?: string | undefined },
): string | undefined {
  if (!hasFiles()) return undefined;
  const mark = sha256(new TextEncoder().encode(url)).slice(0, 12);
  const { env } = nodeModule("node:process");
  return nodeModule("node:path").join(folder ?? userCacheFolder(env), `${name}-${mark}.cache`);
}

/** This user's cache by the custom of the operating system, or as `HAMKIT_CACHE_DIR` says. */
export function userCacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { HAMKIT_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (HAMKIT_CACHE_DIR) return HAMKIT_CACHE_DIR;
  const path = nodeModule("node:path");
  const { homedir } = nodeModule("node:os");
  const { platform } = nodeModule("node:process");
  if (platform === "win32" && LOCALAPPDATA) return path.join(LOCALAPPDATA, "hamkit", "Cache");
  if (platform === "darwin") return path.join(homedir(), "Library", "Caches", "hamkit");
  return path.join(XDG_CACHE_HOME || path.join(homedir(), ".cache"), "hamkit");
}

async function readCopy(url: string, cachePath: string | undefined): Promise<Copy | undefined> {
  const bytes = cachePath === undefined ? undefined : await readBytesIfThere(cachePath);
  const [digest, sealed] = splitLine(bytes ?? new Uint8Array());
  if (sealed === undefined || digest !== sha256(sealed)) return undefined;
  const [headerLine, content] = splitLine(sealed);
  const header = parseHeader(headerLine);
  return header?.url === url && content !== undefined ? { header, content } : undefined;
}

/** The first line, and what follows it; nothing follows where there is no end of a line. */
function splitLine(bytes: Uint8Array): [line: string, rest: Uint8Array | undefined] {
  const end = bytes.indexOf(10);
  if (end < 0) return ["", undefined];
  return [new TextDecoder().decode(bytes.subarray(0, end)), bytes.subarray(end + 1)];
}

function sha256(content: Uint8Array): string {
  return nodeModule("node:crypto").createHash("sha256").update(content).digest("hex");
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
async function keep<Value>(
  { header, content }: Copy,
  { cachePath, warn }: CachedDownloadOptions<Value>,
): Promise<void> {
  if (cachePath === undefined) return;
  try {
    const sealed = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]);
    await writeWhole(cachePath, Buffer.concat([Buffer.from(`${sha256(sealed)}\n`), sealed]));
  } catch (failure) {
    warn(`The download could not be kept. ${failure instanceof Error ? failure.message : String(failure)}`);
  }
}
