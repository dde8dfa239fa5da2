/** One session with a service, shared by all who ask it. */
import { IOError, LoginError } from "../errors.js";

/** A session with a service that gives out keys for a while. */
export interface Session {
  /**
   * Asks with the session's key. Where the service says that the session is over, a new one is opened and it is asked
   * once more.
   *
   * @param ask Gives `undefined` where the session is over.
   * @throws {LoginError} The service refused the account, now or earlier.
   * @throws {IOError} The service opened a session, and didn't know it when it was asked.
   */
  use<Reply>(ask: (key: string) => Promise<Reply | undefined>): Promise<Reply>;
}

export interface SessionOptions {
  /** What messages call the service. */
  readonly title: string;
  /** Logs in, for a key. */
  readonly open: () => Promise<string>;
}

/**
 * A session that is opened when it is first used, and kept until the service says that it is over.
 *
 * Whoever asks meanwhile waits for the same login. A login that failed is tried again by the next one who asks, but not
 * where the account was refused: services lock accounts that try too often.
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

        // Of several who were told so at once only the first one opens a new session.
        if (key === first) key = undefined;
        const again = await ask(await (key ??= begin()));
        if (again !== undefined) return again;
        throw new IOError(title, "the service ended a session as soon as it was opened");
      }),
  };
}
