/** Getting a file or an answer over HTTP: with a time limit, a size limit, and another try where that may help. */
import { IOError, TimeoutError } from "../errors.js";
import { hasFiles } from "./node-modules.js";
import { bareFailure, withoutSecrets } from "./secrets.js";

export interface DownloadOptions {
  /** What messages call the address; itself when left out. Addresses with keys and passwords need another name. */
  readonly name?: string | undefined;
  /** Keys and passwords that the address has: no message tells them, and causes are bare of all that may. */
  readonly secrets?: readonly string[] | undefined;
  /** Sent by POST, as a form; without it the request is a GET. */
  readonly form?: URLSearchParams | undefined;
  /** How long nothing may come before a try is given up; a slow answer may take longer as a whole. */
  readonly timeoutMs?: number;
  /** Further tries after a network failure, a time-out, HTTP 429 or 5xx. */
  readonly retries?: number;
  /** Wait before the first further try; it doubles for each one after. */
  readonly retryDelayMs?: number;
  /** A server that asks for a longer wait before another try (by Retry-After) is not asked again. */
  readonly longestWaitMs?: number;
  /** Waits before a further try; a queue can hold other requests back meanwhile. */
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined;
  /** Whether redirects lead anywhere, or to the same server alone: addresses with keys shall not be passed on. */
  readonly redirect?: "follow" | "same-origin";
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
class PassingFailure extends Error {
  readonly status: number | undefined;
  readonly isTimeout: boolean;
  /** For how long the server wants not to be asked. */
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
 * The file at an address, or that it is as the validators say.
 *
 * @throws {TimeoutError} Nothing came for too long.
 * @throws {IOError} The address can't be reached, answers with an HTTP error (its number is `status`) or too much.
 */
export async function download(url: string, options: DownloadOptions = {}): Promise<Download> {
  const { retries = 2, retryDelayMs = 500, longestWaitMs = 5000, wait = sleep } = options;
  const name = nameOf(url, options);
  for (let attempt = 0; ; attempt++) {
    try {
      return await tryOnce(url, options);
    } catch (failure) {
      if (!(failure instanceof PassingFailure)) throw failure;
      if (attempt === retries || failure.retryAfterMs > longestWaitMs) throw lastingFailure(name, failure);
      await wait(Math.max(retryDelayMs * 2 ** attempt, failure.retryAfterMs));
    }
  }
}

function nameOf(url: string, { name, secrets = [] }: DownloadOptions): string {
  return name ?? withoutSecrets(url, secrets);
}

function lastingFailure(name: string, { message, cause, status, isTimeout }: PassingFailure): IOError {
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
  const patience = createPatience(timeoutMs);
  try {
    const ask = options.redirect === "same-origin" ? fetchSameOrigin : fetch;
    const response = await ask(url, requestFor(options, patience.signal));
    if (response.status === 304) return { kind: "unchanged" };
    if (!response.ok) {
      await response.body?.cancel();
      throw httpFailure(name, response, secrets);
    }
    const content = await readBody(name, response, { maxBytes, patience });
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
    if (caught instanceof IOError || caught instanceof PassingFailure) throw caught;
    const cause = secrets ? bareFailure(caught, secrets) : caught;
    if (isTimeoutFailure(cause))
      throw new PassingFailure(`nothing came for ${timeoutMs} ms`, { cause, isTimeout: true });
    const reason = describe(cause);
    // A name that nobody knows won't be known a second later: offline programs shall not wait.
    if (codeOf(cause) === "ENOTFOUND") throw new IOError(name, reason, { cause });
    throw new PassingFailure(reason, { cause });
  } finally {
    patience.end();
  }
}

/** As many as browsers follow. */
const MAX_REDIRECTS = 20;

/** The response after redirects on the same server; one that leads elsewhere, or would drop a form, is the response. */
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

/** Algorithms of digests, as HTTP and as Web Crypto call them. */
const DIGESTS = { "sha-512": "SHA-512", "sha-256": "SHA-256" } as const;

/**
 * Checks what was received by the digest that the server sent, if it did.
 *
 * @throws {PassingFailure} It is not what the server meant to send.
 * @see RFC 9530, "Digest Fields"
 */
async function checkDigest(content: Uint8Array, headers: Headers): Promise<void> {
  // The digest of a content that was decoded on the way is that of its coded form, which is gone.
  if (headers.get("content-encoding") !== null) return;
  const sent = headers.get("content-digest") ?? headers.get("repr-digest") ?? "";
  for (const [name, algorithm] of Object.entries(DIGESTS)) {
    const expected = new RegExp(`(?:^|,)\\s*${name}=:([A-Za-z0-9+/=]+):`).exec(sent)?.[1];
    if (expected === undefined) continue;
    const digest = new Uint8Array(await crypto.subtle.digest(algorithm, content));
    if (btoa(String.fromCharCode(...digest)) === expected) return;
    throw new PassingFailure(`the content does not match the ${name} digest that the server sent`);
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
  const begin = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => controller.abort(new DOMException("timed out", "TimeoutError")), timeoutMs);
  let timer = begin();
  return {
    signal: controller.signal,
    renew() {
      clearTimeout(timer);
      timer = begin();
    },
    end: () => clearTimeout(timer),
  };
}

function requestFor({ validators = {}, form }: DownloadOptions, signal: AbortSignal): RequestInit {
  return { headers: headersFor(validators), signal, ...(form && { method: "POST", body: form }) };
}

function headersFor({ etag, lastModified }: Validators): Record<string, string> {
  return {
    // A browser says its own name, and would have to ask the server whether it may say another one.
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
  const reason = `the server answered with HTTP ${status} ${withoutSecrets(statusText, secrets)}`.trimEnd();
  if (status === 429 || status >= 500) return passingHttpFailure(reason, { status, headers });
  const isRedirect = REDIRECTS.has(status);
  return new IOError(name, isRedirect ? `${reason}, which leads elsewhere` : reason, { status });
}

function passingHttpFailure(
  reason: string,
  { status, headers }: Pick<Response, "status" | "headers">,
): Error {
  const retryAfterMs = waitAskedFor(headers.get("retry-after"));
  const wish = retryAfterMs > 0 ? `, and asks to wait ${Math.ceil(retryAfterMs / 1000)} s` : "";
  return new PassingFailure(reason + wish, { status, retryAfterMs });
}

/** The wait that a server asks for, in milliseconds: it says seconds or a date. 0 where it asks for none. */
function waitAskedFor(text: string | null): number {
  if (text === null) return 0;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return waitMs > 0 ? waitMs : 0;
}

async function readBody(
  name: string,
  response: Response,
  { maxBytes, patience }: { maxBytes: number; patience: Patience },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    patience.renew();
    size += chunk.length;
    if (size > maxBytes) throw new IOError(name, `the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return joined(chunks, size);
}

/** As `for await` over the body itself has them where a browser can do that. */
async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => undefined); // ends what nobody reads any more
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

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return "the network failed";
  const inner = cause.cause instanceof Error ? cause.cause : cause;
  // Where several addresses of a host were tried in vain there is a code and no message.
  const code = "code" in inner ? String(inner.code) : "it could not be reached";
  return `the network failed: ${inner.message || code}`;
}

/** The system's code of a network failure, which `fetch` hides one level down. */
function codeOf(failure: unknown): unknown {
  const inner = failure instanceof Error ? failure.cause : undefined;
  return inner instanceof Error && "code" in inner ? inner.code : undefined;
}
