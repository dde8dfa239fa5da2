/**
 * Downloads a file and caches it on disk; revalidates the copy when it has expired.
 *
 * The copy is one file: a line with the SHA-256 of the rest, a line with the validators, the content. A copy whose
 * checksum does not match is ignored.
 */
import { IOError } from "../errors.js";
import { download, type DownloadOptions, type Validators } from "./download.js";
import { readBytesIfExists, writeAtomically } from "./file.js";
import { hasFiles, nodeModule } from "./node-modules.js";

export interface CachedDownloadOptions<Value> extends Omit<DownloadOptions, "validators"> {
  /** The address that is stored with the copy. */
  readonly url: string;
  /** The address that is requested, if it contains a secret; default: `url`. */
  readonly requestUrl?: string | undefined;
  /** Path of the copy; `undefined` in a browser, which has no files. */
  readonly cachePath: string | undefined;
  /** A copy younger than this is used without a request. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  /** Checks, without requesting the file, whether it is unchanged since the copy was last known to be current. */
  readonly isUnchangedSince?: (date: Date) => Promise<boolean>;
  /** Parses the content, or throws; rejected content never replaces a copy. */
  readonly parse: (content: Uint8Array) => Promise<Value>;
  /** Receives a message if the copy could not be written. */
  readonly warn: (message: string) => void;
}

/** A cached value. */
export interface Cached<Value> {
  readonly value: Value;
  /** When the server last confirmed that this is the current version. */
  readonly checkedAt: Date;
}

/** The current version; or the failure, with the old copy if there is one. */
export type CachedOutcome<Value> =
  | ({
      readonly kind: "current";
      /** The value of the old copy, if this download replaced it. */
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

/** The copy, whatever its age; `undefined` if it does not exist, is of another address, or is damaged. */
export async function readCached<Value>({
  url,
  cachePath,
  parse,
}: Pick<CachedDownloadOptions<Value>, "url" | "cachePath" | "parse">): Promise<Cached<Value> | undefined> {
  const copy = await readCopy(url, cachePath);
  return copy && parseCopy(copy, parse);
}

/**
 * The file's value: from the copy until it expires, then from the server. A failure leaves the copy unchanged.
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

/** The server's version; the copy's value if the server reports it as unchanged. */
async function renew<Value>(
  options: CachedDownloadOptions<Value>,
  old: { readonly copy: Copy; readonly value: Value } | undefined,
): Promise<Value> {
  const { url, requestUrl = url, name = url, now, parse } = options;
  if (old && (await options.isUnchangedSince?.(new Date(old.copy.header.checkedAt)))) {
    return keepOld(old, options);
  }
  const result = await download(requestUrl, { ...options, validators: old?.copy.header });
  if (result.kind === "unchanged") {
    if (!old) throw new IOError(name, "the server responded with HTTP 304 to an unconditional request");
    return keepOld(old, options);
  }
  const value = await parse(result.content);
  await store({ header: { url, checkedAt: now(), ...result.validators }, content: result.content }, options);
  return value;
}

/** Records that the copy is still current. */
async function keepOld<Value>(
  { copy, value }: { readonly copy: Copy; readonly value: Value },
  options: CachedDownloadOptions<Value>,
): Promise<Value> {
  await store({ ...copy, header: { ...copy.header, checkedAt: options.now() } }, options);
  return value;
}

/**
 * The path of an address's copy: in the given folder, or else in the user's cache folder. `undefined` in a browser, which
 * has its own cache.
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

/** The user's cache folder: `HAMKIT_CACHE_DIR`, or the convention of the operating system. */
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
  const bytes = cachePath === undefined ? undefined : await readBytesIfExists(cachePath);
  const [digest, sealed] = splitLine(bytes ?? new Uint8Array());
  if (sealed === undefined || digest !== sha256(sealed)) return undefined;
  const [headerLine, content] = splitLine(sealed);
  const header = parseHeader(headerLine);
  return header?.url === url && content !== undefined ? { header, content } : undefined;
}

/** The first line and the rest; no rest if there is no line end. */
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

/** Writes the copy. A failure is only a warning: the value is usable, and the next start downloads again. */
async function store<Value>(
  { header, content }: Copy,
  { cachePath, warn }: CachedDownloadOptions<Value>,
): Promise<void> {
  if (cachePath === undefined) return;
  try {
    const sealed = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]);
    await writeAtomically(cachePath, Buffer.concat([Buffer.from(`${sha256(sealed)}\n`), sealed]));
  } catch (failure) {
    warn(`The download could not be cached. ${failure instanceof Error ? failure.message : String(failure)}`);
  }
}
