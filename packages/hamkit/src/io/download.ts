/** Getting a file over HTTP: with a time limit, a size limit, and another try where that may help. */
import { setTimeout as sleep } from "node:timers/promises";

import { IOError } from "../errors.js";

export interface DownloadOptions {
  /** How long nothing may come before a try is given up; a slow answer may take longer as a whole. */
  readonly timeoutMs?: number;
  /** Further tries after a network failure, a time-out, HTTP 429 or 5xx. */
  readonly retries?: number;
  /** Wait before the first further try; it doubles for each one after. */
  readonly retryDelayMs?: number;
  /** A larger answer is refused. */
  readonly maxBytes?: number;
  /** The validators of a copy one has; unchanged content is then not sent again. */
  readonly validators?: Validators | undefined;
}

/** What a server says of a version of a file, to be sent back with the next request. */
export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export type Download =
  | { readonly kind: "changed"; readonly content: Uint8Array; readonly validators: Validators }
  | { readonly kind: "unchanged" };

const USER_AGENT = "hamkit";

/** A failure that another try may cure. */
class PassingFailure extends Error {}

/**
 * The file at an address, or that it is as the validators say.
 *
 * @throws {IOError} The address can't be reached, answers with an HTTP error, too slowly or too much.
 */
export async function download(url: string, options: DownloadOptions = {}): Promise<Download> {
  const { retries = 2, retryDelayMs = 500 } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryOnce(url, options);
    } catch (failure) {
      if (!(failure instanceof PassingFailure)) throw failure;
      if (attempt === retries) throw new IOError(url, failure.message, { cause: failure.cause });
      await sleep(retryDelayMs * 2 ** attempt);
    }
  }
}

async function tryOnce(url: string, options: DownloadOptions): Promise<Download> {
  const { timeoutMs = 10_000, maxBytes = 64 * 1024 * 1024, validators = {} } = options;
  const patience = createPatience(timeoutMs);
  try {
    const response = await fetch(url, { headers: headersFor(validators), signal: patience.signal });
    if (response.status === 304) return { kind: "unchanged" };
    if (!response.ok) {
      await response.body?.cancel();
      throw httpFailure(url, response);
    }
    return {
      kind: "changed",
      content: await readBody(url, response, { maxBytes, patience }),
      validators: {
        etag: response.headers.get("etag") ?? undefined,
        lastModified: response.headers.get("last-modified") ?? undefined,
      },
    };
  } catch (cause) {
    if (cause instanceof IOError || cause instanceof PassingFailure) throw cause;
    const reason = describe(cause, timeoutMs);
    // A name that nobody knows won't be known a second later: offline programs shall not wait.
    if (codeOf(cause) === "ENOTFOUND") throw new IOError(url, reason, { cause });
    throw new PassingFailure(reason, { cause });
  } finally {
    patience.end();
  }
}

/** A time limit that begins anew with each sign of life. */
interface Patience {
  readonly signal: AbortSignal;
  renew(): void;
  end(): void;
}

function createPatience(timeoutMs: number): Patience {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("timed out", "TimeoutError")), timeoutMs);
  return {
    signal: controller.signal,
    renew: () => timer.refresh(),
    end: () => clearTimeout(timer),
  };
}

function headersFor({ etag, lastModified }: Validators): Record<string, string> {
  return {
    "user-agent": USER_AGENT,
    ...(etag === undefined ? undefined : { "if-none-match": etag }),
    ...(lastModified === undefined ? undefined : { "if-modified-since": lastModified }),
  };
}

function httpFailure(url: string, { status, statusText }: Response): Error {
  const reason = `the server answered with HTTP ${status} ${statusText}`.trimEnd();
  return status === 429 || status >= 500 ? new PassingFailure(reason) : new IOError(url, reason);
}

async function readBody(
  url: string,
  response: Response,
  { maxBytes, patience }: { maxBytes: number; patience: Patience },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    patience.renew();
    size += chunk.length;
    if (size > maxBytes) throw new IOError(url, `the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describe(cause: unknown, timeoutMs: number): string {
  if (!(cause instanceof Error)) return "the network failed";
  if (cause.name === "TimeoutError") return `nothing came for ${timeoutMs} ms`;
  const inner = cause.cause instanceof Error ? cause.cause.message : cause.message;
  return `the network failed: ${inner}`;
}

/** The system's code of a network failure, which `fetch` hides one level down. */
function codeOf(failure: unknown): unknown {
  const inner = failure instanceof Error ? failure.cause : undefined;
  return inner instanceof Error && "code" in inner ? inner.code : undefined;
}
