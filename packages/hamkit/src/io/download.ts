/** HTTP requests with an idle timeout, a size limit, and retries of transient failures. */
import { IOError, TimeoutError } from "../errors.js";
import { hasFiles } from "./node-modules.js";

export interface DownloadOptions {
  /** The address in messages; default: the address itself. An address with a secret needs another name. */
  readonly name?: string | undefined;
  /** Keys and passwords in the address; they are removed from messages and causes. */
  readonly secrets?: readonly string[] | undefined;
  /** The form of a POST request; without it the request is a GET. */
  readonly form?: URLSearchParams | undefined;
  /** Idle timeout of an attempt; a slow response may take longer as a whole. */
  readonly timeoutMs?: number;
  /** Number of retries after a network failure, a timeout, HTTP 429 or 5xx. */
  readonly retries?: number;
  /** Wait before the first retry; it doubles with each retry. */
  readonly retryDelayMs?: number;
  /** If the server's Retry-After exceeds this, the request is not retried. */
  readonly maxWaitMs?: number;
  /** Waits before a retry; a queue can hold back other requests during that time. */
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined;
  /** Follow all redirects, or only those to the same origin, so that keys in the address are not passed on. */
  readonly redirect?: "follow" | "same-origin";
  /** Maximum size of the response; a larger one is rejected. */
  readonly maxBytes?: number;
  /** The validators of a cached copy; unchanged content is then not sent again. */
  readonly validators?: Validators | undefined;
  /** Aborts the request; the failure is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** HTTP validators of a version of a file. */
export interface Validators {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

export type Download =
  | { readonly kind: "changed"; readonly content: Uint8Array; readonly validators: Validators }
  | { readonly kind: "unchanged" };

const USER_AGENT = "hamkit";

/** A failure for which the request is retried. */
class TransientFailure extends Error {
  readonly status: number | undefined;
  readonly isTimeout: boolean;
  /** The server's Retry-After; 0 without one. */
  readonly retryAfterMs: number;

  constructor(
    reason: string,
    facts: { status?: number; isTimeout?: boolean; retryAfterMs?: number } & ErrorOptions = {},
  ) {
    super(reason, facts);
    this.status = facts.status;
    this.isTimeout = facts.isTimeout ?? false;
    this.retryAfterMs = facts.retryAfterMs ?? 0;
  }
}

/**
 * Downloads a file, unless the validators show that it is unchanged.
 *
 * @throws {TimeoutError} The idle timeout expired.
 * @throws {IOError} The address can't be reached, or the response is an HTTP error (see `status`) or too large.
 * @throws The reason of the signal, if it is aborted.
 */
export async function download(url: string, options: DownloadOptions = {}): Promise<Download> {
  const { retries = 2, retryDelayMs = 500, maxWaitMs = 5000, wait = sleep } = options;
  const name = nameOf(url, options);
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryOnce(url, options);
    } catch (failure) {
      if (!(failure instanceof TransientFailure)) throw failure;
      if (attempt === retries || failure.retryAfterMs > maxWaitMs) throw toIOError(name, failure);
      await wait(Math.max(retryDelayMs * 2 ** attempt, failure.retryAfterMs));
    }
  }
}

function nameOf(url: string, { name, secrets = [] }: DownloadOptions): string {
  return name ?? withoutSecrets(url, secrets);
}

function toIOError(name: string, { message, cause, status, isTimeout }: TransientFailure): IOError {
  return isTimeout
    ? new TimeoutError(name, message, { cause })
    : new IOError(name, message, { cause, status });
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function tryOnce(url: string, options: DownloadOptions): Promise<Download> {
  const { timeoutMs = 10_000, maxBytes = 64 * 1024 * 1024, secrets } = options;
  const name = nameOf(url, options);
  options.signal?.throwIfAborted();
  const idleTimeout = startIdleTimeout(timeoutMs, options.signal);
  try {
    const send = options.redirect === "same-origin" ? fetchSameOrigin : fetch;
    const response = await send(url, requestFor(options, idleTimeout.signal));
    if (response.status === 304) return { kind: "unchanged" };
    if (!response.ok) {
      await response.body?.cancel();
      throw httpFailure(name, response, secrets);
    }
    const content = await readBody(name, response, { maxBytes, idleTimeout });
    await checkDigest(content, response.headers);
    return {
      kind: "changed",
      content,
      validators: {
        etag: response.headers.get("etag") ?? undefined,
        lastModified: response.headers.get("last-modified") ?? undefined,
      },
    };
  } catch (caught) {
    options.signal?.throwIfAborted();
    if (caught instanceof IOError || caught instanceof TransientFailure) throw caught;
    const cause = secrets ? bareFailure(caught, secrets) : caught;
    if (isTimeoutFailure(cause))
      throw new TransientFailure(`no data received for ${timeoutMs} ms`, { cause, isTimeout: true });
    const reason = networkFailureText(cause);
    // An unknown host name is not retried: offline programs must not wait.
    if (codeOf(cause) === "ENOTFOUND") throw new IOError(name, reason, { cause });
    throw new TransientFailure(reason, { cause });
  } finally {
    idleTimeout.cancel();
  }
}

/** The limit of browsers (Fetch standard). */
const MAX_REDIRECTS = 20;

/** Follows redirects to the same origin; returns a redirect to another origin, or one that would drop the form. */
async function fetchSameOrigin(url: string, init: RequestInit): Promise<Response> {
  let from = url;
  for (let count = 0; ; count++) {
    const response = await fetch(from, { ...init, redirect: "manual" });
    const to = redirectTarget(from, response);
    const dropsForm = init.body !== undefined && response.status < 307;
    if (to === undefined || dropsForm || count === MAX_REDIRECTS) return response;
    await response.body?.cancel();
    from = to;
  }
}

function redirectTarget(from: string, { status, headers }: Response): string | undefined {
  const location = REDIRECTS.has(status) ? headers.get("location") : null;
  if (location === null || !URL.canParse(location, from)) return undefined;
  const to = new URL(location, from);
  return to.origin === new URL(from).origin ? to.href : undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Digest algorithms: the names in HTTP and in Web Crypto. */
const DIGESTS = { "sha-512": "SHA-512", "sha-256": "SHA-256" } as const;

/**
 * Verifies the content against the digest in the response headers, if there is one.
 *
 * @throws {TransientFailure} The digest does not match.
 * @see RFC 9530, "Digest Fields"
 */
async function checkDigest(content: Uint8Array, headers: Headers): Promise<void> {
  // The digest is that of the encoded content, which fetch has already decoded.
  if (headers.get("content-encoding") !== null) return;
  const sent = headers.get("content-digest") ?? headers.get("repr-digest") ?? "";
  for (const [name, algorithm] of Object.entries(DIGESTS)) {
    const expected = new RegExp(`(?:^|,)\\s*${name}=:([A-Za-z0-9+/=]+):`).exec(sent)?.[1];
    if (expected === undefined) continue;
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, content));
    if (btoa(String.fromCharCode(...digest)) === expected) return;
    throw new TransientFailure(`the content does not match the ${name} digest of the response`);
  }
}

/** A timeout that restarts with each received chunk. */
interface IdleTimeout {
  readonly signal: AbortSignal;
  restart(): void;
  cancel(): void;
}

/** @param outer Aborts the request too. */
function startIdleTimeout(timeoutMs: number, outer: AbortSignal | undefined): IdleTimeout {
  const controller = new AbortController();
  const start = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => controller.abort(new DOMException("timed out", "TimeoutError")), timeoutMs);
  const abort = () => controller.abort(outer?.reason);
  outer?.addEventListener("abort", abort, { once: true });
  let timer = start();
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = start();
    },
    cancel() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    },
  };
}

function requestFor({ validators = {}, form }: DownloadOptions, signal: AbortSignal): RequestInit {
  return { headers: headersFor(validators), signal, ...(form && { method: "POST", body: form }) };
}

function headersFor({ etag, lastModified }: Validators): Record<string, string> {
  return {
    // In a browser a user-agent header of our own would cause a CORS preflight request.
    ...(hasFiles() && { "user-agent": USER_AGENT }),
    ...(etag === undefined ? undefined : { "if-none-match": etag }),
    ...(lastModified === undefined ? undefined : { "if-modified-since": lastModified }),
  };
}

function httpFailure(
  name: string,
  { status, statusText, headers }: Response,
  secrets: readonly string[] = [],
): Error {
  const reason = `the server responded with HTTP ${status} ${withoutSecrets(statusText, secrets)}`.trimEnd();
  if (status === 429 || status >= 500) return transientHttpFailure(reason, { status, headers });
  const isRedirect = REDIRECTS.has(status);
  return new IOError(name, isRedirect ? `${reason}, a redirect to another origin` : reason, { status });
}

function transientHttpFailure(
  reason: string,
  { status, headers }: Pick<Response, "status" | "headers">,
): Error {
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"));
  const hint = retryAfterMs > 0 ? `; retry after ${Math.ceil(retryAfterMs / 1000)} s` : "";
  return new TransientFailure(reason + hint, { status, retryAfterMs });
}

/** Retry-After, in seconds or as a date, in milliseconds; 0 without one. */
function parseRetryAfter(text: string | null): number {
  if (text === null) return 0;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return waitMs > 0 ? waitMs : 0;
}

async function readBody(
  name: string,
  response: Response,
  { maxBytes, idleTimeout }: { maxBytes: number; idleTimeout: IdleTimeout },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    idleTimeout.restart();
    size += chunk.length;
    if (size > maxBytes) throw new IOError(name, `the response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return joined(chunks, size);
}

/** The text of a response; of one that is longer, so many bytes of it. */
export async function responseText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return new TextDecoder().decode(joined(chunks, size).subarray(0, maxBytes));
}

/** The chunks of the body; some browsers can't iterate a body with `for await`. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => undefined); // ends the transfer if the consumer stops early
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function isTimeoutFailure(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

/** The reason of a failed request, which `fetch` has in the cause of its error. */
export function networkFailureText(cause: unknown): string {
  if (!(cause instanceof Error)) return "the network failed";
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  // If several addresses of a host failed, the error has a code and no message.
  const code = "code" in inner ? String(inner.code) : "the host is unreachable";
  return `the network failed: ${inner.message || code}`;
}

/** The system's error code of a network failure; `fetch` has it in the cause. */
function codeOf(failure: unknown): unknown {
  const inner = failure instanceof Error ? failure.cause : undefined;
  return inner instanceof Error && "code" in inner ? inner.code : undefined;
}

/** The text with each secret replaced by `***`, as it is, and as URLs, forms, JSON and HTML spell it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) shown = shown.replaceAll(spelling, "***");
  }
  return shown;
}

/**
 * A copy of an error and its causes with name, message and code only. Other fields may contain secrets: parse errors keep
 * the response, URL errors the address.
 */
export function bareFailure(failure: unknown, secrets: readonly string[]): Error {
  if (!(failure instanceof Error)) return new Error(withoutSecrets(String(failure), secrets));
  const cause = failure.cause === undefined ? undefined : { cause: bareFailure(failure.cause, secrets) };
  const bare = new Error(withoutSecrets(failure.message, secrets), cause);
  bare.name = failure.name;
  return "code" in failure ? Object.assign(bare, { code: failure.code }) : bare;
}

function spellingsOf(secret: string): Set<string> {
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inHtml = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const spellings = new Set([
    secret,
    inForm,
    inForm.replaceAll("+", "%20"),
    inJson,
    inJson.replaceAll("/", "\\/"), // PHP's
    inHtml,
    inHtml.replaceAll('"', "&quot;"),
  ]);
  spellings.delete("");
  return spellings;
}
