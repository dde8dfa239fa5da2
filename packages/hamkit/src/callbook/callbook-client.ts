/** Asking a callbook: requests within a session, and what the service says in place of an answer. */
import { AnswerError, IOError, LoginError, type HamkitError } from "../errors.js";
import { download, type Download } from "../io/download.js";
import { createRequestQueue, systemClock } from "../io/request-queue.js";
import { bareFailure, withoutSecrets } from "../io/secrets.js";
import { showValue } from "../show-value.js";
import { AnswerFault, readAnswer, type Answer, type Elements } from "./callbook-answer.js";
import type { Account, CallbookService } from "./callbook-service.js";
import { createSession } from "./callbook-session.js";

export interface CallbookClientOptions {
  readonly service: CallbookService;
  readonly account: Account;
  /** Is told of odd values, and what the service wants its users to know. */
  readonly warn: (message: string) => void;
  /** How long nothing may come before a try is given up; 10 seconds when left out. */
  readonly timeoutMs?: number | undefined;
  /** Wait before the first further try. */
  readonly retryDelayMs?: number | undefined;
}

/** What a callbook answers, as texts; `undefined` where it has no such entry. */
export interface CallbookClient {
  callsign(callsign: string): Promise<Elements | undefined>;
  entity(adif: number): Promise<Elements | undefined>;
}

/** More at once would be impolite. */
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
    const { key, said, hide } = await request(service.loginAddress(account));
    if (key !== undefined) return key;
    throw failureOf(service, said, hide);
  }

  /** The elements of a section; `null` where there is no such entry, `undefined` where the session is over. */
  async function ask(address: string, section: string, key?: string): Promise<Elements | null | undefined> {
    const { answer, said, hide } = await request(address, key);
    const elements = answer.get(section);
    if (elements && !elements.has("error")) return elements;
    if (said !== undefined && service.says.nothing.test(said)) return null;
    if (said !== undefined && service.says.sessionOver.test(said)) return undefined;
    throw failureOf(service, said, hide);
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
    const answer = understand(loaded.kind === "changed" ? loaded.content : new Uint8Array(), service, known);
    const sessionElements = answer.get(service.session.section);
    const key = sessionElements?.get(service.session.key);
    const hide = (text: string): string => withoutSecrets(text, [...known, key ?? ""]);
    tellNotice(sessionElements?.get("message"), hide);
    return { answer, key, said: errorIn(answer), hide };
  }

  /** What the service wants its users to know, such as that a subscription is needed, is told once. */
  function tellNotice(notice: string | undefined, hide: (text: string) => string): void {
    if (notice === undefined || notices.has(notice)) return;
    notices.add(notice);
    warn(`${title} says: ${showValue(hide(notice))}`);
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

function understand(
  content: Uint8Array,
  { title, root }: CallbookService,
  secrets: readonly string[],
): Answer {
  try {
    return readAnswer(content, root);
  } catch (fault) {
    const cause = bareFailure(fault, secrets);
    throw new AnswerError(title, `the answer can't be read: ${cause.message}`, { cause });
  }
}

function errorIn(answer: Answer): string | undefined {
  for (const elements of answer.values()) {
    const said = elements.get("error");
    if (said !== undefined) return said;
  }
  return undefined;
}

function failureOf(
  { title, says }: CallbookService,
  said: string | undefined,
  hide: (text: string) => string,
): HamkitError {
  if (said === undefined) {
    const cause = new AnswerFault("it has neither what was asked nor an error");
    return new AnswerError(title, `the answer can't be used: ${cause.message}`, { cause });
  }
  const cause = new Error(hide(said));
  const words = showValue(cause.message);
  return says.refused.test(said)
    ? new LoginError(title, `the account is refused: ${words}`, { cause })
    : new IOError(title, `the service answered with the error ${words}`, { cause });
}
