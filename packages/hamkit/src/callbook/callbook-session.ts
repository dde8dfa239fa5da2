/** A session with a service, shared by all concurrent requests. */
import { IOError, LoginError } from "../errors.js";

export interface Session {
  /**
   * Sends a request with the session's key. If the session has expired, it logs in again and repeats the request once.
   *
   * @param ask Returns `undefined` if the session has expired.
   * @throws {LoginError} The service refused the account, now or earlier.
   * @throws {IOError} The service reported a new session as expired.
   */
  use<Reply>(ask: (key: string) => Promise<Reply | undefined>): Promise<Reply>;
}

export interface SessionOptions {
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
export function createSession({ title, open }: SessionOptions): Session {
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
