/** Sends requests to the log service's API: rate, retries and refused keys. */
import { APIKeyMissingError, IOError, ValueError } from "../errors.js";
import { download, type DownloadOptions } from "../io/download.js";
import { createRequestQueue, systemClock, type Clock } from "../io/request-queue.js";
import { parseJson, type BatchLine } from "./log-api-response.js";
import type { Moment } from "../lookup/source.js";

/** The service's name in messages. */
export const LOG_API = "Club Log";

export interface LogApiClientOptions {
  readonly apikey: string | undefined;
  readonly warn: (message: string) => void;
  /** Milliseconds without data that end a try; those of the request when left out. */
  readonly timeoutMs?: number | undefined;
  /** Maximum of concurrent requests, and minimal time between the starts of two. */
  readonly pace?: { readonly concurrency: number; readonly intervalMs: number } | undefined;
  readonly retryDelayMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A request, without the key. */
export interface LogApiRequest {
  readonly address: URL;
  /** Query parameters in their order, with the key. */
  readonly query: (apikey: string) => Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export interface LogApiClient {
  /**
   * The JSON of the response.
   *
   * @throws {APIKeyMissingError} The key is missing or was refused.
   * @throws {TimeoutError} @throws {AnswerError} @throws {IOError} No usable response.
   */
  ask(request: LogApiRequest): Promise<unknown>;
}

/** The service is run by volunteers and counts requests. */
const POLITE_PACE = { concurrency: 4, intervalMs: 100 };

/** Maximum delay that the service may ask for; a longer one is an error. */
const MAX_WAIT_MS = 60_000;

/** The service locks out clients that repeat a refused key. */
const REFUSAL_HOLDS_MS = 10 * 60_000;

/** A refused key: no request is sent until then. */
interface Refusal {
  readonly error: APIKeyMissingError;
  readonly until: number;
}

/** A client within the rate that the service tolerates. */
export function createLogApiClient(options: LogApiClientOptions): LogApiClient {
  const { warn, clock = systemClock, retryDelayMs } = options;
  const apikey = typeof options.apikey === "string" ? options.apikey.trim() : "";
  const queue = createRequestQueue<unknown>({ ...POLITE_PACE, ...options.pace, clock });
  let refusal: Refusal | undefined;

  async function wait(milliseconds: number): Promise<void> {
    if (milliseconds >= 5000) warn(`${LOG_API} is busy; waiting ${Math.ceil(milliseconds / 1000)} s`);
    await queue.pause(milliseconds);
  }

  function refused(cause?: IOError): APIKeyMissingError {
    const reason = "the API key was refused, or this computer's address is locked out for a while";
    const error = new APIKeyMissingError(LOG_API, reason, { cause });
    refusal = { error, until: clock.now() + REFUSAL_HOLDS_MS };
    return error;
  }

  async function send(url: string, { address, form, maxBytes, timeoutMs }: LogApiRequest): Promise<unknown> {
    if (refusal && clock.now() < refusal.until) throw refusal.error;
    const name = nameOf(address);
    const text = await downloadText(url, {
      name,
      form,
      maxBytes,
      wait,
      maxWaitMs: MAX_WAIT_MS,
      redirect: "same-origin",
      timeoutMs: options.timeoutMs ?? timeoutMs,
      ...(retryDelayMs !== undefined && { retryDelayMs }),
    }).catch((failure: unknown) => {
      throw isRefusal(failure) ? refused(failure) : failure;
    });
    if (REFUSAL_TEXT.test(text)) throw refused();
    return parseJson(text, { service: name, secret: apikey });
  }

  return {
    async ask(request) {
      if (apikey === "") throw new APIKeyMissingError(LOG_API, "the API key is missing");
      const url = new URL(request.address);
      url.search = new URLSearchParams(request.query(apikey)).toString();
      return queue.ask(`${url.href} ${request.form?.toString()}`, () => send(url.href, request));
    },
  };
}

const REFUSAL_TEXT = /^\s*Invalid or missing API Key/i;

function isRefusal(failure: unknown): failure is IOError {
  return failure instanceof IOError && (failure.status === 401 || failure.status === 403);
}

async function downloadText(url: string, options: DownloadOptions): Promise<string> {
  const response = await download(url, options);
  return response.kind === "changed" ? new TextDecoder().decode(response.content) : "";
}

/** The first moment that the service supports. For an earlier one it answers for today, without an error. */
const FIRST_MOMENT = Date.UTC(1945, 0, 1);
/** The first moment with a year of five digits. */
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** Whether the service supports a moment. */
export function isSupported(at: Moment): boolean {
  return at >= FIRST_MOMENT && at < END_OF_TIME;
}

/** The parameters of a single lookup, to the minute; the client adds the key. */
export function singleParameters(call: string, at: Moment): (apikey: string) => Record<string, string> {
  const [year = "", month = "", day = "", hour = "", minute = ""] = new Date(at).toISOString().split(/[-T:]/);
  return (api) => ({ year, month, day, hour, minute, api, full: "1", call });
}

/** The parameters of a batch lookup. */
export function batchParameters(api: string): Record<string, string> {
  return { api };
}

/** A line of a batch request, to the second. */
export function batchLine(call: string, at: Moment): BatchLine {
  return { C: call, T: new Date(at).toISOString().slice(0, 19).replace("T", " ") };
}

/**
 * An address to which the key may be sent.
 *
 * @throws {ValueError} Its scheme is not http or https, or it has more than server and path.
 */
export function logApiUrl(argument: string, text: string): URL {
  const address = typeof text === "string" && URL.canParse(text) ? new URL(text) : undefined;
  if (address && isPlain(address)) return address;
  throw new ValueError({
    argument,
    // Without a password that it may contain.
    value: address ? nameOf(address) : text,
    expected: "an http or https address of server and path alone",
  });
}

/** An address in messages. */
export function nameOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}
