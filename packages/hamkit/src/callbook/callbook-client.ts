/** Sends requests to a callbook within a session, and maps the errors that it reports. */
import { AnswerError, IOError, LoginError, type HamkitError } from "../errors.js";
import { download, type Download, bareFailure, withoutSecrets } from "../io/download.js";
import { createRequestQueue, systemClock } from "../io/request-queue.js";
import { showValue } from "../show-value.js";
import type { Account, CallbookService } from "./callbook-service.js";
import { parseXml, XmlFault } from "../text/xml-parser.js";

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
  const session = createCallbookSession({ title, open: logIn });
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

interface CallbookSession {
  /**
   * Sends a request with the session's key. If the session has expired, it logs in again and repeats the request once.
   *
   * @param ask Returns `undefined` if the session has expired.
   * @throws {LoginError} The service refused the account, now or earlier.
   * @throws {IOError} The service reported a new session as expired.
   */
  use<Reply>(ask: (key: string) => Promise<Reply | undefined>): Promise<Reply>;
}

interface SessionOptions {
  /** Name of the service in messages. */
  readonly title: string;
  /** Logs in and returns the key. */
  readonly open: () => Promise<string>;
}

/**
 * A session that logs in at the first request and is used until the service reports it as expired.
 *
 * Concurrent requests share one login. The next request repeats a failed login, unless the account was refused: services lock
 * accounts after too many attempts.
 */
function createCallbookSession({ title, open }: SessionOptions): CallbookSession {
  let key: Promise<string> | undefined;
  let refusal: LoginError | undefined;

  async function begin(): Promise<string> {
    try {
      return await open();
    } catch (failure) {
      key = undefined;
      throw failure;
    }
  }

  async function refusing<Value>(work: () => Promise<Value>): Promise<Value> {
    if (refusal) throw refusal;
    try {
      return await work();
    } catch (failure) {
      if (failure instanceof LoginError) refusal ??= failure;
      throw failure;
    }
  }

  return {
    use: (ask) =>
      refusing(async () => {
        const first = (key ??= begin());
        const reply = await ask(await first);
        if (reply !== undefined) return reply;

        // Of concurrent requests with the expired key only the first one logs in again.
        if (key === first) key = undefined;
        const again = await ask(await (key ??= begin()));
        if (again !== undefined) return again;
        throw new IOError(title, "the service reported a new session as expired");
      }),
  };
}

// Reads the XML of callbooks: a root element with sections, which have elements with a text each.

/** The texts of a section by the names of their elements. Names are in lower case, and no text is empty. */
type Elements = ReadonlyMap<string, string>;

/** The sections of a response by their names, in lower case. */
type CallbookResponse = ReadonlyMap<string, Elements>;

/** The reason why a response is unusable; the cause of the error that callers get. */
export class ResponseFault extends Error {
  override readonly name = "ResponseFault";
}

/**
 * Reads a response. Of sections and elements with the same name the first one is used; deeper elements are ignored.
 *
 * @param root The root element's name, in lower case.
 * @throws {ResponseFault} The content is not complete XML, has another root, or a document type.
 */
export function readResponse(content: Uint8Array, root: string): CallbookResponse {
  const text = new TextDecoder().decode(content);
  if (text.trim() === "") throw new ResponseFault("the response is empty");
  const sections = new Map<string, Map<string, string>>();
  // The names of the open elements from the root, and the text of the one on the third level.
  const path: string[] = [];
  let found = "";

  try {
    parseXml(text, {
      open({ name }) {
        path.push(name.toLowerCase());
        if (path[0] !== root) throw new ResponseFault(`root element is not ${root}`);
        found = "";
      },
      text(piece) {
        if (path.length === 3) found += piece;
      },
      close() {
        if (path.length === 3) add(sections, path, found.trim());
        else if (path.length === 2) sectionOf(sections, path);
        path.pop();
      },
    });
  } catch (fault) {
    if (!(fault instanceof XmlFault)) throw fault;
    const { kind, line, message } = fault;
    throw new ResponseFault(kind === "doctype" ? message : `invalid XML in line ${line}: ${message}`);
  }
  return sections;
}

function add(sections: Map<string, Map<string, string>>, path: readonly string[], text: string): void {
  const section = sectionOf(sections, path);
  const name = path[2] ?? "";
  if (text !== "" && !section.has(name)) section.set(name, text);
}

function sectionOf(
  sections: Map<string, Map<string, string>>,
  [, name = ""]: readonly string[],
): Map<string, string> {
  const section = sections.get(name) ?? new Map<string, string>();
  sections.set(name, section);
  return section;
}
