/**
 * Sessions of a user, and how they end. Tokens are not stored, so that they can't be listed: all of them are revoked at once.
 */
import type { Platform } from "../area.js";
import {
  deleteConsoleSessions,
  listConsoleSessions,
  type ListedConsoleSession,
} from "../console/console-session-list.js";
import { deleteSessionsOf, listSessionsOf } from "../federation/logout/provider-session-store.js";
import type { Moment } from "../platform/clock.js";
import { notFoundClass } from "../platform/errors.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import { deviceOf } from "./device.js";

export class SessionNotFoundError extends notFoundClass("session", "sessions/not-found") {}

export interface UserSession {
  readonly id: string;
  /** Of a browser in the console, or at an identity provider that reports logouts: with all tokens of its logins. */
  readonly kind: "console" | "provider";
  readonly methods: readonly string[] | undefined;
  readonly provider: { readonly idpId: string; readonly protocolId: string } | undefined;
  readonly device: string | undefined;
  readonly userAgent: string | null;
  readonly address: string | null;
  readonly begunAt: Moment | null;
  readonly usedAt: Moment | null;
  readonly expiresAt: Moment;
  /** Its tokens. `undefined` in sessions that a former release began: their tokens open by the cookie alone. */
  readonly auditChainId: string | undefined;
}

export interface SessionServiceDeps extends Pick<Platform, "database" | "clock"> {
  readonly users: {
    /** @throws {NotFoundError} */
    getUser(id: string): Promise<unknown>;
  };
  readonly revokeTokens: RevokeTokens;
}

export type SessionService = ReturnType<typeof createSessionService>;

export function createSessionService({ database, clock, users, revokeTokens }: SessionServiceDeps) {
  async function list(userId: string): Promise<UserSession[]> {
    await users.getUser(userId);
    const now = clock.now();
    const ofConsole = await listConsoleSessions(database, userId, now);
    const atProviders = await listSessionsOf(database, userId, now);
    return [
      ...ofConsole.map(inConsole),
      ...atProviders.map(({ idpId, id: protocolId, auditChainId, expiresAt }) => ({
        id: auditChainId,
        kind: "provider" as const,
        methods: undefined,
        provider: { idpId, protocolId },
        device: undefined,
        userAgent: null,
        address: null,
        begunAt: null,
        usedAt: null,
        expiresAt,
        auditChainId,
      })),
    ];
  }

  return {
    list,

    /** Ends a session, and revokes its tokens. @throws {SessionNotFoundError} */
    async end(userId: string, id: string): Promise<void> {
      const session = (await list(userId)).find((each) => each.id === id);
      if (session === undefined) throw new SessionNotFoundError(id);
      const { auditChainId, kind } = session;
      await database.transaction(
        async (transaction) => {
          if (kind === "console") await deleteConsoleSessions(transaction, userId, id);
          else await deleteSessionsOf(transaction, userId, id);
          if (auditChainId !== undefined) await revokeTokens(transaction, { auditChainId });
        },
        { changes: ["revocations"] },
      );
    },

    /** Ends all sessions of a user, and revokes all its tokens, also those that no list has. @throws {NotFoundError} */
    async endAll(userId: string): Promise<void> {
      await users.getUser(userId);
      await database.transaction((transaction) => endAllSessions(transaction, { userId, revokeTokens }), {
        changes: ["facts", "revocations"],
      });
    },
  };
}

function inConsole(session: ListedConsoleSession): UserSession {
  return { ...session, kind: "console", provider: undefined, device: deviceOf(session.userAgent) };
}

/** Within a transaction that declares changes of facts and revocations. */
export async function endAllSessions(
  transaction: Parameters<RevokeTokens>[0],
  { userId, revokeTokens }: { readonly userId: string; readonly revokeTokens: RevokeTokens },
): Promise<void> {
  await deleteConsoleSessions(transaction, userId);
  await deleteSessionsOf(transaction, userId);
  await revokeTokens(transaction, { userId });
}
