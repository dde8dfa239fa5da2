/** Sends requests to a callbook within a session, and maps the errors that it reports. */
import { AnswerError, IOError, LoginError, type HamkitError } from "../errors.js";
import { download, type Download } from "../io/download.js";
import { createRequestQueue, systemClock } from "../io/request-queue.js";
import { bareFailure, withoutSecrets } from "../io/secrets.js";
import { showValue } from "../show-value.js";
import { readResponse, ResponseFault, type CallbookResponse, type Elements } from "./callbook-response.js";
import type { Account, CallbookService } from "./callbook-service.js";
import { createSession } from "./callbook-session.js";

export interface CallbookClientOptions {
  readonly service: CallbookService;
  readonly account: Account;
  /** Receives a warning for each unexpected value, and the notices of the service. */
  readonly warn: (message: string) => void;
  /** Milliseconds without data that end a try; 10000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** Delay before the first retry. */
  readonly retryDelayMs?: number | undefined;
}

/** The entries of a callbook as texts; `undefined` where an entry does not exist. */
export interface CallbookClient {
  callsign(callsign: string): Promise<Elements | undefined>;
  entity(adif: number): Promise<Elements | undefined>;
}

/** A rate that the services tolerate. */
const POLITE_PACE = { concurrency: 4, intervalMs: 0, clock: systemClock };

/** Entries have a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

export function createCallbookClient({
  service,
  account,
  warn,
  timeoutMs = 10_000,
  retryDelayMs = 500,
}: CallbookClientOptions): CallbookClient {
  const { title } = service;
  const queue = createRequestQueue<Download>(POLITE_PACE);
  const session = createSession({ title, open: logIn });
  const notices = new Set<string>();

  async function logIn(): Promise<string> {
    const { key, error, hide } = await request(service.loginAddress(account));
    if (key !== undefined) return key;
    throw failureOf(service, error, hide);
  }

  /** The elements of a section; `null` if the entry does not exist, `undefined` if the session has expired. */
  async function ask(address: string, section: string, key?: string): Promise<Elements | null | undefined> {
    const { response, error, hide } = await request(address, key);
    const elements = response.get(section);
    if (elements && !elements.has("error")) return elements;
    if (error !== undefined && service.errors.notFound.test(error)) return null;
    if (error !== undefined && service.errors.sessionExpired.test(error)) return undefined;
    throw failureOf(service, error, hide);
  }

  async function request(address: string, usedKey = "") {
    const known = [account.pwd, usedKey];
    const loaded = await queue.ask(address, () =>
      download(address, {
        name: title,
        secrets: known,
        redirect: "same-origin",
        maxBytes: MAX_BYTES,
        timeoutMs,
        retryDelayMs,
        wait: (milliseconds) => queue.pause(milliseconds),
      }),
    );
    const content = loaded.kind === "changed" ? loaded.content : new Uint8Array();
    const response = parseResponse(content, service, known);
    const sessionElements = response.get(service.session.section);
    const key = sessionElements?.get(service.session.key);
    const hide = (text: string): string => withoutSecrets(text, [...known, key ?? ""]);
    warnOfNotice(sessionElements?.get("message"), hide);
    return { response, key, error: errorIn(response), hide };
  }

  /** Warns once of a notice of the service, such as that a subscription is needed. */
  function warnOfNotice(notice: string | undefined, hide: (text: string) => string): void {
    if (notice === undefined || notices.has(notice)) return;
    notices.add(notice);
    warn(`${title} reports: ${showValue(hide(notice))}`);
  }

  return {
    async callsign(callsign) {
      const { section } = service.callsign;
      const found = await session.use((key) => ask(service.callsignAddress(callsign, key), section, key));
      return found ?? undefined;
    },
    async entity(adif) {
      const { section, isFree, echo } = service.entity;
      const found = isFree
        ? await ask(service.entityAddress(adif, ""), section)
        : await session.use((key) => ask(service.entityAddress(adif, key), section, key));
      const isOther = echo !== undefined && found?.get(echo) !== String(adif);
      return isOther ? undefined : (found ?? undefined);
    },
  };
}

function parseResponse(
  content: Uint8Array,
  { title, root }: CallbookService,
  secrets: readonly string[],
): CallbookResponse {
  try {
    return readResponse(content, root);
  } catch (fault) {
    const cause = bareFailure(fault, secrets);
    throw new AnswerError(title, `unreadable response: ${cause.message}`, { cause });
  }
}

function errorIn(response: CallbookResponse): string | undefined {
  for (const elements of response.values()) {
    const error = elements.get("error");
    if (error !== undefined) return error;
  }
  return undefined;
}

function failureOf(
  { title, errors }: CallbookService,
  error: string | undefined,
  hide: (text: string) => string,
): HamkitError {
  if (error === undefined) {
    const cause = new ResponseFault("it has neither the requested entry nor an error");
    return new AnswerError(title, `unusable response: ${cause.message}`, { cause });
  }
  const cause = new Error(hide(error));
  const quoted = showValue(cause.message);
  return errors.refused.test(error)
    ? new LoginError(title, `the account is refused: ${quoted}`, { cause })
    : new IOError(title, `the service reported the error ${quoted}`, { cause });
}
