/** The processes of the service, and how many logins they counted, in the database. */
import { sql } from "kysely";

import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { json, rowsOf } from "../../platform/database/table.js";
import type { AuditRecord } from "../../policy/audit.js";

/** Between two heartbeats of a process. */
export const BEAT_MS = 30_000;
/** A process without a heartbeat for so long has ended without notice, or can't write. */
export const SILENT_MS = 2.5 * BEAT_MS;

/** A process. */
export interface Replica {
  /** New at each start. */
  readonly id: string;
  readonly host: string;
  /** The number of the worker process; 0 without workers. */
  readonly worker: number;
  readonly version: string;
  readonly startedAt: Moment;
  /** Its last heartbeat. */
  readonly seenAt: Moment;
  /** Degraded functions at its last heartbeat, a sentence each; `null` of a former release. */
  readonly impairments: readonly string[] | null;
  /** The ids of master keys that unseal in it; `null` of a former release. */
  readonly masterKeys: readonly string[] | null;
}

/** Logins of an hour. */
export interface LoginCount {
  /** The hour's beginning. */
  readonly hour: Moment;
  readonly outcome: AuditRecord["outcome"];
  readonly count: number;
}

const { toItem, toRow } = rowsOf<Replica>()({
  id: "id",
  host: "host",
  worker: "worker",
  version: "version",
  startedAt: "started_at",
  seenAt: "seen_at",
  impairments: json("impairments"),
  masterKeys: json("master_keys"),
});

interface Tables {
  readonly replica: ReturnType<typeof toRow>;
  readonly login_count: { hour: Moment; outcome: LoginCount["outcome"]; count: number };
}

/** Rows of processes: those that were killed stay for a while. */
const MAX_REPLICAS = 200;

/** The last seen first. */
export async function listReplicas(queries: Queries): Promise<Replica[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("replica")
    .selectAll()
    .orderBy("seen_at", "desc")
    .orderBy("id")
    .limit(MAX_REPLICAS)
    .execute();
  return rows.map(toItem);
}

/** Stores a heartbeat, and deletes processes that were last seen before a moment, or are too many. */
export async function putReplica(queries: Queries, replica: Replica, seenSince: Moment): Promise<void> {
  const tables = queries.tables<Tables>();
  const row = toRow(replica);
  await tables
    .insertInto("replica")
    .values(row)
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({
        seen_at: row.seen_at,
        impairments: row.impairments,
        master_keys: row.master_keys,
      }),
    )
    .execute();
  const kept = tables.selectFrom("replica").select("id").orderBy("seen_at", "desc").limit(MAX_REPLICAS);
  await tables
    .deleteFrom("replica")
    .where((eb) => eb.or([eb("seen_at", "<", seenSince), eb("id", "not in", kept)]))
    .execute();
}

export async function deleteReplica(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("replica").where("id", "=", id).execute();
}

/** Adds to the counts of hours, and deletes those of hours before a moment. */
export async function addLoginCounts(
  queries: Queries,
  counts: readonly LoginCount[],
  keptSince: Moment,
): Promise<void> {
  const tables = queries.tables<Tables>();
  for (const each of counts)
    await tables
      .insertInto("login_count")
      .values(each)
      .onConflict((conflict) =>
        conflict
          .columns(["hour", "outcome"])
          .doUpdateSet({ count: sql<number>`login_count.count + ${each.count}` }),
      )
      .execute();
  await tables.deleteFrom("login_count").where("hour", "<", keptSince).execute();
}

/** In the order of time. */
export function listLoginCounts(queries: Queries, since: Moment): Promise<LoginCount[]> {
  return queries
    .tables<Tables>()
    .selectFrom("login_count")
    .selectAll()
    .where("hour", ">=", since)
    .orderBy("hour")
    .orderBy("outcome")
    .execute();
}
