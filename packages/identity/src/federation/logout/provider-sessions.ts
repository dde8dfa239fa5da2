/**
 * Sessions of users at their providers: which tokens end with them.
 *
 * All tokens of a session are of one chain, and are revoked by one event. A logout is kept for as long as an assertion from before it
 * may arrive: a login that races with it is rejected, whichever replica commits first.
 */
import { createHash } from "node:crypto";

import type { Platform } from "../../area.js";
import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import type { NewId } from "../../platform/ids.js";
import type { RevokeTokens } from "../../policy/revoke-tokens.js";
import type { ProviderSession } from "../assertion-verifier.js";
import type { PendingLogins } from "../browser/pending-logins.js";
import { AssertionRefusedError } from "../federation-errors.js";
import { isoTime } from "../leeway.js";
import {
  deleteExpired,
  deleteSessionOfChain,
  deleteSessions,
  findSession,
  putLogout,
  putSession,
  wasLoggedOut,
  type StoredSession,
} from "./provider-session-store.js";

/** A logout at a provider, as its verified message names it. */
export interface ProviderLogout {
  /** `undefined` where the message names only sessions. */
  readonly subject: readonly string[] | undefined;
  /** Without any, all sessions of the user. */
  readonly indexes: readonly string[];
  /** By the provider's clock. */
  readonly issuedAt: Moment;
}

/** Ended sessions, for the audit log. */
export interface EndedSessions {
  readonly count: number;
  readonly userIds: readonly string[];
}

export interface ProviderSessions {
  /**
   * Records the session of a login, before its token is issued.
   *
   * @returns The chain of its tokens.
   * @throws {AssertionRefusedError} The provider logged it out before.
   */
  record(key: ProtocolKey, session: ProviderSession, userId: string): Promise<string>;
  /** Ends sessions: revokes their tokens. */
  end(key: ProtocolKey, logout: ProviderLogout): Promise<EndedSessions>;
  /** Revokes the tokens of a chain. @returns What a logout at the provider requires; `undefined` without a recorded session. */
  endChain(auditChainId: string): Promise<object | undefined>;
  /** Deletes some expired sessions and logouts. @returns Whether there may be more. */
  purge(): Promise<boolean>;
}

export interface ProviderSessionsDeps extends Pick<Platform, "database" | "clock"> {
  readonly newAuditId: NewId;
  readonly pendingLogins: Pick<PendingLogins, "seal" | "unseal">;
  readonly revokeTokens: RevokeTokens;
  /** Of tokens. */
  readonly lifetimeMs: number;
}

/** A session is stored for longer than its tokens live: logins with the same session rarely write. */
const RENEWAL_MS = 600_000;
/** No assertion is accepted for longer after its issue. */
const LOGOUT_LIFE_MS = 86_400_000;
const CLEANING_MS = 60_000;
/** Longer than the clock skew between replicas. */
const OVERLAP_MS = 120_000;

export function createProviderSessions(deps: ProviderSessionsDeps): ProviderSessions {
  const { database, clock, newAuditId, pendingLogins, revokeTokens, lifetimeMs } = deps;
  let cleanedAt: Moment = -Infinity;

  async function clean(transaction: Queries): Promise<void> {
    const now = clock.now();
    if (now < cleanedAt + CLEANING_MS) return;
    await deleteExpired(transaction, now - OVERLAP_MS);
    cleanedAt = now;
  }

  function hintOf({ auditChainId, sealedHint }: StoredSession): object | undefined {
    return pendingLogins.unseal("session", auditChainId, sealedHint) as object | undefined;
  }

  return {
    record: (key, { subject, index, issuedAt, hint }, userId) =>
      database.transaction(
        async (transaction) => {
          const name = { ...key, subject: digestOf(subject), session: digestOfIndex(index) };
          // An assertion without a time is not known to be later than any logout.
          if (await wasLoggedOut(transaction, name, issuedAt ?? 0)) throw endedBefore(issuedAt);
          const known = await findSession(transaction, name, userId);
          const needed = clock.now() + lifetimeMs;
          if (known !== undefined && known.expiresAt >= needed) return known.auditChainId;
          await clean(transaction);
          const auditChainId = known?.auditChainId ?? newAuditId();
          const expiresAt = needed + RENEWAL_MS;
          const sealedHint = pendingLogins.seal({ kind: "session", id: auditChainId, expiresAt, data: hint });
          await putSession(transaction, { ...name, userId, auditChainId, sealedHint, expiresAt });
          return auditChainId;
        },
        { changes: [] },
      ),

    end: (key, { subject, indexes, issuedAt }) =>
      database.transaction(
        async (transaction) => {
          await clean(transaction);
          const selection = {
            subject: subject && digestOf(subject),
            sessions: indexes.map((index) => digestOf([index])),
          };
          const expiresAt = clock.now() + LOGOUT_LIFE_MS;
          await putLogout(transaction, key, { ...selection, issuedAt, expiresAt });
          const ended = await deleteSessions(transaction, key, selection);
          for (const { auditChainId } of ended) await revokeTokens(transaction, { auditChainId });
          return { count: ended.length, userIds: [...new Set(ended.map(({ userId }) => userId))] };
        },
        { changes: ["revocations"] },
      ),

    endChain: (auditChainId) =>
      database.transaction(
        async (transaction) => {
          const session = await deleteSessionOfChain(transaction, auditChainId);
          await revokeTokens(transaction, { auditChainId });
          return session && hintOf(session);
        },
        { changes: ["revocations"] },
      ),

    purge: () => deleteExpired(database, clock.now() - OVERLAP_MS),
  };
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function digestOfIndex(index: string | undefined): string {
  return index === undefined ? "" : digestOf([index]);
}

function endedBefore(issuedAt: Moment | undefined): AssertionRefusedError {
  const issued =
    issuedAt === undefined ? "does not say when it was issued (iat)" : `was issued at ${isoTime(issuedAt)}`;
  const reason = `the provider has logged the user out: the assertion ${issued}, expected one from after the logout`;
  return new AssertionRefusedError({ step: "session", reason });
}
