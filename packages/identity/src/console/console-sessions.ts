/**
 * Sessions of the console: a browser has a cookie, and the service keeps the token.
 *
 * The token is sealed by a key derived from the master key and the cookie. The database has a digest of the cookie only: its reader
 * can neither use a session nor unseal a token.
 */
import { createHash } from "node:crypto";

import type { ReceiptBody } from "../auth/receipts.js";
import type { BegunLogins } from "../federation/browser/begun-logins.js";
import type { Clock, Moment } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { randomBytes } from "../platform/ids.js";
import type { ConsoleCookie } from "./console-cookie.js";
import {
  deleteConsoleSession,
  deleteExpiredConsoleSessions,
  findConsoleSession,
  insertConsoleSession,
  updateConsoleSession,
} from "./console-session-store.js";

/** What a session holds. */
export type SessionContent =
  | { readonly kind: "token"; readonly text: string }
  /** The receipt of a login that needs further methods. */
  | { readonly kind: "receipt"; readonly text: string; readonly body: ReceiptBody };

export interface SessionDraft {
  readonly userId: string;
  readonly content: SessionContent;
  /** When the token or the receipt expires. */
  readonly expiresAt: Moment;
}

export interface ConsoleSession {
  readonly id: string;
  readonly content: SessionContent;
}

export interface ConsoleSessions {
  /** The session of a request's `Cookie` header; `undefined` if there is none, or it has expired. */
  find(cookieHeader: string | undefined): Promise<ConsoleSession | undefined>;
  /** Begins a session with a cookie of its own, whatever the browser had before. @returns The value of `Set-Cookie`. */
  begin(draft: SessionDraft): Promise<string>;
  /**
   * Replaces the token of a request's session, which keeps its cookie.
   *
   * @returns Whether the session still exists.
   */
  replaceToken(
    cookieHeader: string | undefined,
    token: { readonly text: string; readonly expiresAt: Moment },
  ): Promise<boolean>;
  end(session: ConsoleSession): Promise<void>;
  /** Deletes some expired sessions. @returns Whether there may be more. */
  purge(): Promise<boolean>;
}

export interface ConsoleSessionsDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly begunLogins: Pick<BegunLogins, "seal" | "unseal">;
  readonly cookie: ConsoleCookie;
}

/** Browsers of one user. */
const MAX_SESSIONS_PER_USER = 50;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;
/** Longer than the clock skew between replicas. */
const OVERLAP_MS = 120_000;

export function createConsoleSessions(deps: ConsoleSessionsDeps): ConsoleSessions {
  const { database, clock, begunLogins, cookie } = deps;
  const seal = (secret: string, data: SessionContent, expiresAt: Moment) =>
    begunLogins.seal({ kind: "console", id: secret, expiresAt, data });

  return {
    async find(header) {
      const secret = cookie.read(header);
      if (secret === undefined) return undefined;
      const stored = await findConsoleSession(database, digestOf(secret));
      // Expired, or sealed with a former master key.
      const content = stored && begunLogins.unseal("console", secret, stored.sealed);
      return content === undefined ? undefined : { id: digestOf(secret), content: content as SessionContent };
    },

    async begin({ userId, content, expiresAt }) {
      const secret = randomBytes(32).toString("base64url");
      const now = clock.now();
      const session = {
        id: digestOf(secret),
        userId,
        sealed: seal(secret, content, expiresAt),
        begunAt: now,
        expiresAt,
      };
      await database.transaction(
        (transaction) => insertConsoleSession(transaction, session, { maxPerUser: MAX_SESSIONS_PER_USER }),
        UNCACHED,
      );
      return cookie.set(secret, Math.max(0, Math.ceil((expiresAt - now) / 1000)));
    },

    async replaceToken(header, { text, expiresAt }) {
      const secret = cookie.read(header);
      if (secret === undefined) return false;
      const sealed = seal(secret, { kind: "token", text }, expiresAt);
      const session = { id: digestOf(secret), sealed, expiresAt };
      return database.transaction((transaction) => updateConsoleSession(transaction, session), UNCACHED);
    },

    end: ({ id }) => database.transaction((transaction) => deleteConsoleSession(transaction, id), UNCACHED),

    purge: () => deleteExpiredConsoleSessions(database, clock.now() - OVERLAP_MS),
  };
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
