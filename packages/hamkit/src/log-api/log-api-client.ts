/** Requests to the log service's API: addresses, pace, and what becomes of refusals. */
import { APIKeyMissingError, IOError } from "../errors.js";
import { download, type DownloadOptions } from "../io/download.js";
import { createRequestQueue, systemClock, type Clock } from "../io/request-queue.js";
import { parseJson } from "./log-api-answer.js";
import { nameOf } from "./log-api-question.js";

/** The service's name in messages. */
export const LOG_API = "Club Log";

export interface LogApiClientOptions {
  readonly apikey: string | undefined;
  readonly warn: (message: string) => void;
  /** How long nothing may come before a try is given up; as the request says when left out. */
  readonly timeoutMs?: number | undefined;
  /** Requests under way at the same time, and the least time between the starts of two. */
  readonly pace?: { readonly concurrency: number; readonly intervalMs: number } | undefined;
  readonly retryDelayMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A request, without the key. */
export interface LogApiRequest {
  readonly address: URL;
  /** Names and values of the address's query, in their order, with the key among them. */
  readonly query: (apikey: string) => Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The JSON of answers. */
export interface LogApiClient {
  /**
   * @throws {APIKeyMissingError} There is no key, or it was refused.
   * @throws {TimeoutError} @throws {AnswerError} @throws {IOError} There is no usable answer.
   */
  ask(request: LogApiRequest): Promise<unknown>;
}

/** The service is run by volunteers and counts requests. */
const POLITE_PACE = { concurrency: 4, intervalMs: 100 };

/** The longest wait that the service may ask for; whoever asks may rather have an error then. */
const LONGEST_WAIT_MS = 60_000;

/** The service locks out whoever goes on asking with a wrong key. */
const REFUSAL_HOLDS_MS = 10 * 60_000;

/** What became of the key, and until when that holds. */
interface Refusal {
  readonly error: APIKeyMissingError;
  readonly until: number;
}

/** Asks the service, politely. */
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

  async function answerTo(
    url: string,
    { address, form, maxBytes, timeoutMs }: LogApiRequest,
  ): Promise<unknown> {
    if (refusal && clock.now() < refusal.until) throw refusal.error;
    const name = nameOf(address);
    const text = await downloadText(url, {
      name,
      form,
      maxBytes,
      wait,
      maxWaitMs: LONGEST_WAIT_MS,
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
      if (apikey === "") throw new APIKeyMissingError(LOG_API, "there is no API key");
      const url = new URL(request.address);
      url.search = new URLSearchParams(request.query(apikey)).toString();
      return queue.ask(`${url.href} ${request.form?.toString()}`, () => answerTo(url.href, request));
    },
  };
}

const REFUSAL_TEXT = /^\s*Invalid or missing API Key/i;

function isRefusal(failure: unknown): failure is IOError {
  return failure instanceof IOError && (failure.status === 401 || failure.status === 403);
}

async function downloadText(url: string, options: DownloadOptions): Promise<string> {
  const answer = await download(url, options);
  return answer.kind === "changed" ? new TextDecoder().decode(answer.content) : "";
}
