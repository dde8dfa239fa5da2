/** Failed logins by all methods, and federated logins per day, in the database. */
import { sql } from "kysely";

import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { notFoundClass } from "../../platform/errors.js";
import { json, tableOf } from "../../platform/database/table.js";

export interface FailedLogin {
  /** Ids of newer ones come first. */
  readonly id: string;
  /** `null` for logins without a provider, as the protocol's. */
  readonly idpId: string | null;
  readonly protocolId: string | null;
  readonly method: string;
  /** One of `LOGIN_REASONS`; `provider-login` for those at a provider, whose step and reason say more. */
  readonly code: string;
  /** Of a user who exists; `null` where none is known. */
  readonly userId: string | null;
  readonly userName: string | null;
  /** The id or the name of the user's domain, as the request names it. */
  readonly domain: string | null;
  readonly address: string | null;
  readonly requestId: string;
  readonly step: string;
  readonly reason: string;
  /** Names of attributes, without values. */
  readonly attributes: readonly string[];
  readonly failedAt: Moment;
}

export const FAILED_LOGIN_FILTERS = [
  "idp_id",
  "protocol_id",
  "method",
  "code",
  "user_id",
  "user_name",
  "request_id",
  "step",
] as const;

export class FailedLoginNotFoundError extends notFoundClass(
  "failed login",
  "federation/failed-login-not-found",
) {}

export const failedLoginTable = tableOf<FailedLogin>()(
  "rejected_login",
  {
    id: "id",
    idpId: "idp_id",
    protocolId: "protocol_id",
    method: "method",
    code: "code",
    userId: "user_id",
    userName: "user_name",
    domain: "domain",
    address: "address",
    requestId: "request_id",
    step: "step",
    reason: "reason",
    attributes: json("attributes"),
    failedAt: "refused_at",
  },
  FailedLoginNotFoundError,
);

const MAX_MOMENT = 2 ** 48 - 1;

/** The beginning of the id of a login that was rejected at this time. */
export function failedIdAt(moment: Moment): string {
  return (MAX_MOMENT - moment).toString(16).padStart(12, "0");
}

/** Logins of one protocol on one day. */
export interface LoginDay {
  readonly idpId: string;
  readonly protocolId: string;
  /** Since 1970, in UTC. */
  readonly day: number;
  readonly proved: number;
  readonly failed: number;
  readonly lastProvedAt: Moment | null;
  readonly lastFailedAt: Moment | null;
}

interface Tables {
  readonly rejected_login: { id: string; idp_id: string | null };
  readonly login_day: {
    idp_id: string;
    protocol_id: string;
    day: number;
    proved: number;
    /** Columns keep the word of the release that made them. */
    refused: number;
    last_proved_at: Moment | null;
    last_refused_at: Moment | null;
  };
}

/** Deletes all but the newest of a provider, or of the logins without one (`null`). */
export async function trimFailed(queries: Queries, idpId: string | null, kept: number): Promise<void> {
  const tables = queries.tables<Tables>();
  const newest = await tables
    .selectFrom("rejected_login")
    .select("id")
    .where("idp_id", idpId === null ? "is" : "=", idpId)
    .orderBy("id")
    .offset(kept)
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return;
  await tables
    .deleteFrom("rejected_login")
    .where("idp_id", idpId === null ? "is" : "=", idpId)
    .where("id", ">=", newest.id)
    .execute();
}

const MAX_DELETED = 200;

/** Deletes some that are older. @returns Whether there may be more. */
export async function deleteOldRecords(queries: Queries, before: Moment, day: number): Promise<boolean> {
  const tables = queries.tables<Tables>();
  const old = tables
    .selectFrom("rejected_login")
    .select("id")
    .where("id", ">", failedIdAt(before))
    .limit(MAX_DELETED);
  const { numDeletedRows } = await tables
    .deleteFrom("rejected_login")
    .where("id", "in", old)
    .executeTakeFirstOrThrow();
  await tables.deleteFrom("login_day").where("day", "<", day).execute();
  return numDeletedRows === BigInt(MAX_DELETED);
}

/** Adds to the numbers of the day. */
export async function addToDay(queries: Queries, added: LoginDay): Promise<void> {
  await queries
    .tables<Tables>()
    .insertInto("login_day")
    .values({
      idp_id: added.idpId,
      protocol_id: added.protocolId,
      day: added.day,
      proved: added.proved,
      refused: added.failed,
      last_proved_at: added.lastProvedAt,
      last_refused_at: added.lastFailedAt,
    })
    .onConflict((conflict) =>
      conflict.columns(["idp_id", "protocol_id", "day"]).doUpdateSet({
        proved: sql`login_day.proved + excluded.proved`,
        refused: sql`login_day.refused + excluded.refused`,
        last_proved_at: sql`coalesce(excluded.last_proved_at, login_day.last_proved_at)`,
        last_refused_at: sql`coalesce(excluded.last_refused_at, login_day.last_refused_at)`,
      }),
    )
    .execute();
}

/** The days of a provider's protocols, newest first. */
export async function listDays(queries: Queries, idpId: string): Promise<LoginDay[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("login_day")
    .selectAll()
    .where("idp_id", "=", idpId)
    .orderBy("day", "desc")
    .execute();
  return rows.map((row) => ({
    idpId: row.idp_id,
    protocolId: row.protocol_id,
    day: row.day,
    proved: row.proved,
    failed: row.refused,
    lastProvedAt: row.last_proved_at,
    lastFailedAt: row.last_refused_at,
  }));
}

/** How many there were since a moment, by code. */
export async function countSince(
  queries: Queries,
  since: Moment,
): Promise<{ readonly code: string; readonly count: number }[]> {
  const rows = await queries
    .tables<{ rejected_login: { id: string; code: string } }>()
    .selectFrom("rejected_login")
    .select(["code", (eb) => eb.fn.countAll().as("count")])
    .where("id", "<", failedIdAt(since))
    .groupBy("code")
    .orderBy("count", "desc")
    .orderBy("code")
    .execute();
  return rows.map(({ code, count }) => ({ code, count: Number(count) }));
}

/** Providers of protocols whose newest login failed, after a moment. */
export async function listFailing(queries: Queries, since: Moment): Promise<string[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("login_day")
    .select("idp_id")
    .groupBy(["idp_id", "protocol_id"])
    .having((eb) => eb.fn.max("last_refused_at"), ">", since)
    .having((eb) =>
      eb(eb.fn.max("last_refused_at"), ">", eb.fn.coalesce(eb.fn.max("last_proved_at"), eb.val(0))),
    )
    .orderBy("idp_id")
    .execute();
  return [...new Set(rows.map(({ idp_id: idpId }) => idpId))];
}

/** Logins that a mapping, or what it names, has rejected. */
export interface FailedByMapping {
  readonly users: number;
  /** The first of them. */
  readonly since: Moment;
  /** Of the newest. */
  readonly reason: string;
}

/** Steps of a login that depend on the mapping. */
const MAPPING_STEPS = ["mapping", "groups", "projects", "roles"];
/** Failed logins that are read. */
const MAX_READ = 100;

/** Logins of a protocol that failed by its mapping after a moment; `undefined` if none did. */
export async function failedByMapping(
  queries: Queries,
  key: ProtocolKey,
  after: Moment,
): Promise<FailedByMapping | undefined> {
  const found = await failedLoginTable.all(
    failedLoginTable
      .select(queries)
      .where("idp_id", "=", key.idpId)
      .where("protocol_id", "=", key.id)
      .where("step", "in", MAPPING_STEPS)
      .where("refused_at", ">", after)
      .orderBy("id")
      .limit(MAX_READ),
  );
  const [newest] = found;
  const oldest = found.at(-1);
  if (newest === undefined || oldest === undefined) return undefined;
  const users = new Set(found.map(({ userName }) => userName)).size;
  return { users, since: oldest.failedAt, reason: newest.reason };
}

/** The newest failed login of each protocol. */
export async function newestFailed(queries: Queries, key: ProtocolKey): Promise<FailedLogin | undefined> {
  return failedLoginTable.first(
    failedLoginTable
      .select(queries)
      .where("idp_id", "=", key.idpId)
      .where("protocol_id", "=", key.id)
      .orderBy("id")
      .limit(1),
  );
}
