/** A test login as a page follows it: begun in another tab or by a message, and read until its result is there. */
import { ApiError } from "../api/errors.ts";
import { announce } from "../ui/states/announce.svelte.ts";
import { createTestLogin, readTestLogin, type ProtocolPlace, type TestLogin } from "./test-login-api.ts";

const POLL_MS = 1500;

/** Not that the test login is unknown, or that the caller may not read it. */
const isPassing = (caught: unknown): boolean =>
  caught instanceof ApiError && (caught.status === 0 || caught.status === 429 || caught.status >= 500);

/** Base64 of a text that begins with `<`. */
const isBase64Xml = (text: string): boolean => /^PD|^PHN|^PFI/.test(text);

/** Reactive. Made while a component starts. */
export class TestLoginRun {
  login = $state.raw<TestLogin>();
  error = $state.raw<unknown>();
  isBusy = $state(false);
  readonly #place: () => ProtocolPlace;

  /** @param id Of the test login to follow; `undefined` if none has begun. */
  constructor(place: () => ProtocolPlace, id: () => string | undefined) {
    this.#place = place;
    // Until the browser's other tab has finished the login.
    $effect(() => {
      const wanted = id();
      if (wanted !== undefined) return this.#follow(wanted);
      this.login = undefined;
      return undefined;
    });
  }

  #follow(id: string): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const poll = async (): Promise<void> => {
      try {
        const found = await readTestLogin(this.#place(), id);
        if (!isCurrent) return;
        this.login = found;
        this.error = undefined;
        if (found.result === null) timer = setTimeout(() => void poll(), POLL_MS);
        else announce(`The test login ${found.status}`);
      } catch (caught) {
        if (!isCurrent) return;
        this.error = caught;
        if (isPassing(caught)) timer = setTimeout(() => void poll(), POLL_MS);
      }
    };
    void poll();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }

  /**
   * The tab is opened at once, as browsers allow it only then, and goes to the provider when the test login is there.
   *
   * @returns The id of the test login; `undefined` if it failed, or another one is being requested.
   */
  async begin(): Promise<string | undefined> {
    if (this.isBusy) return undefined;
    const tab = window.open("about:blank", "_blank");
    const created = await this.#create({});
    if (created === undefined) tab?.close();
    else if (created.login_url !== null && tab !== null) tab.location.href = created.login_url;
    return created?.id;
  }

  /** @param text An access token, the token of a workload, or a SAML Response in base64. */
  async test(text: string): Promise<{ readonly id: string; readonly isToken: boolean } | undefined> {
    const isToken = text.split(".").length === 3 || !isBase64Xml(text);
    const created = await this.#create(isToken ? { access_token: text } : { saml_response: text });
    return created && { id: created.id, isToken };
  }

  async #create(draft: Parameters<typeof createTestLogin>[1]): Promise<TestLogin | undefined> {
    return this.working(async () => {
      this.login = await createTestLogin(this.#place(), draft);
      return this.login;
    });
  }

  async working<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.isBusy) return undefined;
    this.isBusy = true;
    this.error = undefined;
    try {
      return await work();
    } catch (caught) {
      this.error = caught;
      return undefined;
    } finally {
      this.isBusy = false;
    }
  }
}
