/** Sessions of the console as their users and administrators see them. */
import type { Moment } from "../platform/clock.js";
import type { Queries } from "../platform/database/database.js";

/** A session with a token. */
export interface ListedConsoleSession {
  readonly id: string;
  /** Of the login; `undefined` if a former release began it. */
  readonly methods: readonly string[] | undefined;
  /** Of its tokens; `undefined` as above. */
  readonly auditChainId: string | undefined;
  readonly begunAt: Moment;
  /** Within some minutes; `null` before the first request. */
  readonly usedAt: Moment | null;
  readonly expiresAt: Moment;
  /** Of the browser, as it says. */
  readonly userAgent: string | null;
  readonly address: string | null;
}

interface Tables {
  readonly console_session: {
    id: string;
    user_id: string;
    methods: string | null;
    audit_chain_id: string | null;
    begun_at: Moment;
    used_at: Moment | null;
    expires_at: Moment;
    user_agent: string | null;
    address: string | null;
  };
}

/** The user's sessions at a moment, the latest first. Unfinished logins are none. */
export async function listConsoleSessions(
  queries: Queries,
  userId: string,
  now: Moment,
): Promise<ListedConsoleSession[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("console_session")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .where((eb) => eb.or([eb("audit_chain_id", "is not", null), eb("methods", "is", null)]))
    .orderBy("begun_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    methods: row.methods === null ? undefined : (JSON.parse(row.methods) as string[]),
    auditChainId: row.audit_chain_id ?? undefined,
    begunAt: row.begun_at,
    usedAt: row.used_at,
    expiresAt: row.expires_at,
    userAgent: row.user_agent,
    address: row.address,
  }));
}

/** @param id One of them; all of the user, if left out. */
export async function deleteConsoleSessions(queries: Queries, userId: string, id?: string): Promise<void> {
  const sessions = queries.tables<Tables>().deleteFrom("console_session").where("user_id", "=", userId);
  await (id === undefined ? sessions : sessions.where("id", "=", id)).execute();
}

export interface SessionUse extends Pick<ListedConsoleSession, "id" | "userAgent" | "address"> {
  readonly at: Moment;
}

export async function recordSessionUse(
  queries: Queries,
  { id, at, userAgent, address }: SessionUse,
): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("console_session")
    .set({ used_at: at, user_agent: userAgent, address })
    .where("id", "=", id)
    .execute();
}
