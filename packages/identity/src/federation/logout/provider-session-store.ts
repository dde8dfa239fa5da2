/** Sessions at providers, and logouts there, in the database. */
import { sql } from "kysely";

import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { rowsOf } from "../../platform/database/table.js";

/** Names a session of a user at a provider, by digests. */
export interface SessionName extends ProtocolKey {
  readonly subject: string;
  /** Empty where the provider names none. */
  readonly session: string;
}

export interface StoredSession extends SessionName {
  readonly userId: string;
  /** The chain of its tokens. */
  readonly auditChainId: string;
  /** What a logout at the provider requires. */
  readonly sealedHint: string;
  readonly expiresAt: Moment;
}

/** What a provider's logout names. */
export interface SessionSelection {
  /** The user's digest; `undefined` where the logout names only sessions. */
  readonly subject: string | undefined;
  /** Digests of sessions; without any, all sessions of the user. */
  readonly sessions: readonly string[];
}

export interface StoredLogout extends SessionSelection {
  /** By the provider's clock: assertions from before then begin no session. */
  readonly issuedAt: Moment;
  readonly expiresAt: Moment;
}

const { toItem, toRow } = rowsOf<StoredSession>()({
  idpId: "idp_id",
  id: "protocol_id",
  subject: "subject",
  session: "session",
  userId: "user_id",
  auditChainId: "audit_chain_id",
  sealedHint: "sealed_hint",
  expiresAt: "expires_at",
});

interface Tables {
  readonly federated_session: ReturnType<typeof toRow>;
  readonly federated_logout: {
    idp_id: string;
    protocol_id: string;
    subject: string;
    session: string;
    issued_at: Moment;
    expires_at: Moment;
  };
}

const NONE = "";

export async function findSession(
  queries: Queries,
  { idpId, id, subject, session }: SessionName,
  userId: string,
): Promise<StoredSession | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("federated_session")
    .selectAll()
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .where("subject", "=", subject)
    .where("session", "=", session)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row && toItem(row);
}

/** Adds a session, or renews it. */
export async function putSession(queries: Queries, session: StoredSession): Promise<void> {
  const row = toRow(session);
  await queries
    .tables<Tables>()
    .insertInto("federated_session")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["idp_id", "protocol_id", "subject", "session", "user_id"])
        .doUpdateSet({ sealed_hint: row.sealed_hint, expires_at: row.expires_at }),
    )
    .execute();
}

/** The user's sessions at a moment. */
export async function listSessionsOf(
  queries: Queries,
  userId: string,
  now: Moment,
): Promise<StoredSession[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("federated_session")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .orderBy("audit_chain_id")
    .execute();
  return rows.map(toItem);
}

/** @param auditChainId Of one session; all of the user, if left out. */
export async function deleteSessionsOf(
  queries: Queries,
  userId: string,
  auditChainId?: string,
): Promise<void> {
  const sessions = queries.tables<Tables>().deleteFrom("federated_session").where("user_id", "=", userId);
  await (
    auditChainId === undefined ? sessions : sessions.where("audit_chain_id", "=", auditChainId)
  ).execute();
}

/** @returns The deleted session; `undefined` if there was none. */
export async function deleteSessionOfChain(
  queries: Queries,
  auditChainId: string,
): Promise<StoredSession | undefined> {
  const row = await queries
    .tables<Tables>()
    .deleteFrom("federated_session")
    .where("audit_chain_id", "=", auditChainId)
    .returningAll()
    .executeTakeFirst();
  return row && toItem(row);
}

/**
 * Deletes the sessions that a logout names. Where it names sessions of a user, those that the provider had not named are deleted
 * too: any of them may be meant.
 */
export async function deleteSessions(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  { subject, sessions }: SessionSelection,
): Promise<StoredSession[]> {
  if (subject === undefined && sessions.length === 0) return [];
  let statement = queries
    .tables<Tables>()
    .deleteFrom("federated_session")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id);
  if (subject !== undefined) statement = statement.where("subject", "=", subject);
  if (sessions.length > 0)
    statement = statement.where("session", "in", subject === undefined ? sessions : [...sessions, NONE]);
  return (await statement.returningAll().execute()).map(toItem);
}

/** Whether a logout names the session, whose assertion is from before it. */
export async function wasLoggedOut(
  queries: Queries,
  { idpId, id, subject, session }: SessionName,
  issuedAt: Moment,
): Promise<boolean> {
  const found = await queries
    .tables<Tables>()
    .selectFrom("federated_logout")
    .select("subject")
    .where("idp_id", "=", idpId)
    .where("protocol_id", "=", id)
    .where("issued_at", ">=", issuedAt)
    .where((eb) => {
      // A session without a name may be any of the user's.
      const ofUser =
        session === NONE
          ? eb("subject", "=", subject)
          : eb.and([eb("subject", "=", subject), eb("session", "in", [NONE, session])]);
      return session === NONE
        ? ofUser
        : eb.or([ofUser, eb.and([eb("subject", "=", NONE), eb("session", "=", session)])]);
    })
    .executeTakeFirst();
  return found !== undefined;
}

export async function putLogout(
  queries: Queries,
  { idpId, id }: ProtocolKey,
  { subject = NONE, sessions, issuedAt, expiresAt }: StoredLogout,
): Promise<void> {
  const place = { idp_id: idpId, protocol_id: id, subject };
  const times = { issued_at: issuedAt, expires_at: expiresAt };
  for (const session of sessions.length === 0 ? [NONE] : sessions)
    await queries
      .tables<Tables>()
      .insertInto("federated_logout")
      .values({ ...place, session, ...times })
      .onConflict((conflict) =>
        conflict
          .columns(["idp_id", "protocol_id", "subject", "session"])
          .doUpdateSet(times)
          .where("federated_logout.issued_at", "<", issuedAt),
      )
      .execute();
}

/** Rows of a table that are deleted at a time. */
const MAX_DELETED_ROWS = 200;

const KEYS = {
  federated_session: ["idp_id", "protocol_id", "subject", "session", "user_id"],
  federated_logout: ["idp_id", "protocol_id", "subject", "session"],
} as const;

/** Deletes some of those that expired before a moment. @returns Whether there may be more. */
export async function deleteExpired(queries: Queries, before: Moment): Promise<boolean> {
  let hasMore = false;
  for (const [name, key] of Object.entries(KEYS)) {
    const table = sql.table(name);
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const { numAffectedRows } = await sql`delete from ${table} where (${columns}) in
      (select ${columns} from ${table} where expires_at < ${before} limit ${sql.lit(MAX_DELETED_ROWS)})`.execute(
      queries.tables(),
    );
    hasMore ||= Number(numAffectedRows) === MAX_DELETED_ROWS;
  }
  return hasMore;
}
