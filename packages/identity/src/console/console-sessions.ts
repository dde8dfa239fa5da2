/**
 * Sessions of the console: a browser has a cookie, and the service keeps the token.
 *
 * The token is sealed by a key derived from the master key and the cookie. The database has a digest of the cookie only: its reader
 * can neither use a session nor unseal a token.
 */
import { createHash } from "node:crypto";

import type { Platform } from "../area.js";
import type { MoreMethodsRequiredError } from "../auth/auth-errors.js";
import type { IssuedToken } from "../auth/login.js";
import type { ReceiptBody } from "../auth/receipts.js";
import type { PendingLogins } from "../federation/browser/pending-logins.js";
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";
import { json, rowsOf } from "../platform/database/table.js";
import { cookiesOf } from "../platform/http/header-values.js";
import { randomBytes } from "../platform/ids.js";
import { auditChainOf } from "../tokens/audit-ids.js";
import type { ConsoleAddress } from "./console-address.js";
import { recordSessionUse } from "./console-session-list.js";

/** What a session holds. */
export type SessionContent =
  | { readonly kind: "token"; readonly text: string }
  /** The receipt of a login that needs further methods. */
  | { readonly kind: "receipt"; readonly text: string; readonly body: ReceiptBody };

export interface SessionDraft {
  readonly userId: string;
  readonly content: SessionContent;
  /** Of the login so far. */
  readonly methods: readonly string[];
  /** Of its tokens; `undefined` for a receipt. */
  readonly auditChainId: string | undefined;
  /** When the token or the receipt expires. */
  readonly expiresAt: Moment;
}

export interface ConsoleSession {
  readonly id: string;
  readonly content: SessionContent;
}

export interface ConsoleSessions {
  /** The session of a request's `Cookie` header; `undefined` if there is none, or it has expired. Notes its use now and then. */
  find(request: SessionRequest): Promise<ConsoleSession | undefined>;
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

/** What a session is found by, and what its user sees of it. */
export interface SessionRequest {
  readonly headers: { readonly cookie?: string | undefined; readonly "user-agent"?: string | undefined };
  readonly clientAddress: string;
}

export interface ConsoleSessionsDeps extends Pick<Platform, "database" | "clock"> {
  readonly pendingLogins: Pick<PendingLogins, "seal" | "unseal">;
  readonly cookie: ConsoleCookie;
}

/** Browsers of one user. */
const MAX_SESSIONS_PER_USER = 50;
/** How often the use of a session is noted: a write for each request would cost more than it tells. */
const USE_MS = 300_000;
const MAX_USER_AGENT = 300;
/** No cache rests on these rows. */
const UNCACHED = { changes: [] } as const;
/** Longer than the clock skew between replicas. */
const OVERLAP_MS = 120_000;

export function createConsoleSessions(deps: ConsoleSessionsDeps): ConsoleSessions {
  const { database, clock, pendingLogins, cookie } = deps;
  const seal = (secret: string, data: SessionContent, expiresAt: Moment) =>
    pendingLogins.seal({ kind: "console", id: secret, expiresAt, data });

  return {
    async find({ headers, clientAddress: address }) {
      const secret = cookie.read(headers.cookie);
      if (secret === undefined) return undefined;
      const stored = await findConsoleSession(database, digestOf(secret));
      // Expired, or sealed with a former master key.
      const content = stored && pendingLogins.unseal("console", secret, stored.sealed);
      const at = clock.now();
      if (content !== undefined && at - (stored?.usedAt ?? 0) >= USE_MS) {
        const userAgent = headers["user-agent"]?.slice(0, MAX_USER_AGENT) ?? null;
        const use = { id: digestOf(secret), at, userAgent, address };
        await database.transaction((transaction) => recordSessionUse(transaction, use), UNCACHED);
      }
      return content === undefined ? undefined : { id: digestOf(secret), content: content as SessionContent };
    },

    async begin({ userId, content, methods, auditChainId = null, expiresAt }) {
      const secret = randomBytes(32).toString("base64url");
      const now = clock.now();
      const session = {
        id: digestOf(secret),
        userId,
        sealed: seal(secret, content, expiresAt),
        methods,
        auditChainId,
        usedAt: null,
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

/** A session. The table alone gives neither the cookie nor the token. */
export interface StoredConsoleSession {
  /** A digest of the cookie. */
  readonly id: string;
  readonly userId: string;
  /** Opens with the cookie and the master key only. */
  readonly sealed: string;
  readonly methods: readonly string[] | null;
  readonly auditChainId: string | null;
  readonly begunAt: Moment;
  readonly usedAt: Moment | null;
  readonly expiresAt: Moment;
}

const { toItem, toRow } = rowsOf<StoredConsoleSession>()({
  id: "id",
  userId: "user_id",
  sealed: "sealed",
  methods: json("methods"),
  auditChainId: "audit_chain_id",
  usedAt: "used_at",
  begunAt: "begun_at",
  expiresAt: "expires_at",
});

interface Tables {
  readonly console_session: ReturnType<typeof toRow>;
}

async function findConsoleSession(queries: Queries, id: string): Promise<StoredConsoleSession | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("console_session")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toItem(row);
}

/** Adds a session, and deletes the user's oldest ones beyond a number. */
async function insertConsoleSession(
  queries: Queries,
  session: StoredConsoleSession,
  { maxPerUser }: { readonly maxPerUser: number },
): Promise<void> {
  const tables = queries.tables<Tables>();
  const kept = await tables
    .selectFrom("console_session")
    .select("id")
    .where("user_id", "=", session.userId)
    .orderBy("begun_at", "desc")
    .orderBy("id")
    .limit(maxPerUser - 1)
    .execute();
  if (kept.length === maxPerUser - 1)
    await tables
      .deleteFrom("console_session")
      .where("user_id", "=", session.userId)
      .where(
        "id",
        "not in",
        kept.map(({ id }) => id),
      )
      .execute();
  await tables.insertInto("console_session").values(toRow(session)).execute();
}

/** @returns Whether the session still exists. */
async function updateConsoleSession(
  queries: Queries,
  { id, sealed, expiresAt }: Pick<StoredConsoleSession, "id" | "sealed" | "expiresAt">,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .tables<Tables>()
    .updateTable("console_session")
    .set({ sealed, expires_at: expiresAt })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function deleteConsoleSession(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("console_session").where("id", "=", id).execute();
}

/** Rows that are deleted at a time. */
const MAX_DELETED_ROWS = 200;

/** Deletes some of those that expired before a moment. @returns Whether there may be more. */
async function deleteExpiredConsoleSessions(queries: Queries, before: Moment): Promise<boolean> {
  const tables = queries.tables<Tables>();
  const expired = tables
    .selectFrom("console_session")
    .select("id")
    .where("expires_at", "<", before)
    .limit(MAX_DELETED_ROWS);
  const { numDeletedRows } = await tables
    .deleteFrom("console_session")
    .where("id", "in", expired)
    .executeTakeFirst();
  return Number(numDeletedRows) === MAX_DELETED_ROWS;
}

export interface ConsoleCookie {
  /** The secret in a request's `Cookie` header. */
  read(header: string | undefined): string | undefined;
  /** A value of `Set-Cookie`. */
  set(secret: string, lifeSeconds: number): string;
  /** The value of `Set-Cookie` that removes it. */
  clear(): string;
}

/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/;

/**
 * Browsers accept the prefix `__Host-` from this host only, over HTTPS and with `Path=/`: neither another host of the domain nor a page
 * over HTTP can plant a session. `SameSite=Lax` has them send it when a provider sends the user back.
 */
export function createConsoleCookie({ isSecure }: Pick<ConsoleAddress, "isSecure">): ConsoleCookie {
  const name = isSecure ? "__Host-console" : "console";
  const write = (secret: string, lifeSeconds: number) =>
    [
      `${name}=${secret}`,
      "Path=/",
      `Max-Age=${lifeSeconds}`,
      "HttpOnly",
      ...(isSecure ? ["Secure"] : []),
      "SameSite=Lax",
    ].join("; ");
  return {
    read(header) {
      const found = cookiesOf(header).find(([each]) => each === name)?.[1];
      return found !== undefined && SECRET.test(found) ? found : undefined;
    },
    set: write,
    clear: () => write("", 0),
  };
}

/** The session of a login, which lasts as long as its token. */
export function draftOfToken({ text, payload }: IssuedToken): SessionDraft {
  const { userId, methods, expiresAt } = payload;
  return {
    userId,
    methods,
    auditChainId: auditChainOf(payload),
    expiresAt,
    content: { kind: "token", text },
  };
}

/** The session of a login that needs further methods. */
export function draftOfReceipt({ response }: MoreMethodsRequiredError): SessionDraft {
  const text = response?.headers["openstack-auth-receipt"] ?? "";
  const body = response?.body as ReceiptBody;
  const { user, methods, expires_at: expiresAt } = body.receipt;
  return {
    userId: user.id,
    methods,
    auditChainId: undefined,
    expiresAt: Date.parse(expiresAt),
    content: { kind: "receipt", text, body },
  };
}
