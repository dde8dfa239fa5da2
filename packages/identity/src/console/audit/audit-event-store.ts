/** The audit trail in the database. */
import { sql } from "kysely";

import type { Moment } from "../../platform/clock.js";
import type { Queries } from "../../platform/database/database.js";
import { findNames, type Named } from "../../platform/database/domain-scoped-names.js";
import { json, rowsOf } from "../../platform/database/table.js";
import type { AuditEvent } from "../../policy/audit.js";

export interface StoredAuditEvent {
  /** Begins with the time: see {@link idPrefixOf}. */
  readonly id: string;
  readonly at: Moment;
  readonly action: string;
  readonly outcome: AuditEvent["outcome"];
  readonly status: number;
  readonly userId: string | null;
  readonly requestId: string;
  readonly address: string;
  readonly details: Pick<AuditEvent, "scope" | "delegation" | "target" | "item" | "changes">;
}

/** An event, and the current name of its user. */
export interface ListedAuditEvent extends StoredAuditEvent {
  /** `undefined` if the event has no user, or the user has no row: deleted, or never stored. */
  readonly user: { readonly name: string; readonly domain: string } | undefined;
  /** The current names of ids in the target, by the names of its members. */
  readonly targetNames: Readonly<Record<string, string>>;
}

/** Filters by exact values; the newest events first. */
export interface AuditQuery {
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly userId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly address?: string | undefined;
  /** Any value of the event's target. */
  readonly target?: string | undefined;
  /** From this moment on. */
  readonly since?: Moment | undefined;
  /** Before this moment. */
  readonly until?: Moment | undefined;
  /** Older than the event of this id. */
  readonly marker?: string | undefined;
  readonly limit: number;
}

const { toItem, toRow } = rowsOf<StoredAuditEvent>()({
  id: "id",
  at: "at",
  action: "action",
  outcome: "outcome",
  status: "status",
  userId: "user_id",
  requestId: "request_id",
  address: "address",
  details: json("details"),
});

interface Tables {
  readonly audit_event: ReturnType<typeof toRow>;
  readonly audit_target: { value: string; event_id: string };
  readonly user: { id: string; name: string; domain_id: string };
  readonly project: { id: string; name: string };
}

/** Milliseconds until the year 5138. */
const TIME_DIGITS = 14;

/** What the ids of all events of a moment begin with; ids of later events are greater. */
export function idPrefixOf(moment: Moment): string {
  return String(Math.max(0, moment)).padStart(TIME_DIGITS, "0");
}

export async function insertAuditEvents(
  queries: Queries,
  events: readonly StoredAuditEvent[],
): Promise<void> {
  const tables = queries.tables<Tables>();
  await tables.insertInto("audit_event").values(events.map(toRow)).execute();
  const targets = events.flatMap(({ id, details }) =>
    [...new Set([...Object.values(details.target), ...namesIn(details)])].map((value) => ({
      value,
      event_id: id,
    })),
  );
  if (targets.length > 0) await tables.insertInto("audit_target").values(targets).execute();
}

/** Id and name of the changed item: events are found by them. */
function namesIn({ item }: StoredAuditEvent["details"]): string[] {
  return item === undefined ? [] : [item.id, ...(item.name === undefined ? [] : [item.name])];
}

/** At most `limit` events, and one more if there are more. */
export async function listAuditEvents(queries: Queries, query: AuditQuery): Promise<ListedAuditEvent[]> {
  const { action, outcome, userId, requestId, address, target, since, until, marker, limit } = query;
  let select = queries
    .tables<Tables>()
    .selectFrom("audit_event")
    .leftJoin("user", "user.id", "audit_event.user_id")
    .leftJoin("project as domain", "domain.id", "user.domain_id")
    .selectAll("audit_event")
    .select(["user.name as user_name", "domain.name as domain_name"]);
  if (target !== undefined)
    select = select
      .innerJoin("audit_target", "audit_target.event_id", "audit_event.id")
      .where("audit_target.value", "=", target);
  for (const [column, value] of [
    ["action", action],
    ["outcome", outcome],
    ["user_id", userId],
    ["request_id", requestId],
    ["address", address],
  ] as const)
    if (value !== undefined) select = select.where(`audit_event.${column}`, "=", value as never);
  // The ids of a target's events are in the order of an index: a common one would sort all of them otherwise.
  const id = sql.ref<string>(target === undefined ? "audit_event.id" : "audit_target.event_id");
  if (since !== undefined) select = select.where(id, ">=", idPrefixOf(since));
  if (until !== undefined) select = select.where(id, "<", idPrefixOf(until));
  if (marker !== undefined) select = select.where(id, "<", marker);
  const rows = await select
    .orderBy(id, "desc")
    .limit(limit + 1)
    .execute();
  const events = rows.map(({ user_name: name, domain_name: domain, ...row }) =>
    Object.assign(toItem(row), { user: name === null || domain === null ? undefined : { name, domain } }),
  );
  const names = await namesInTargets(queries, events);
  return events.map((event) => Object.assign(event, { targetNames: names(event.details.target) }));
}

/** The tables that members of targets are ids of. */
const NAMED_TABLES: Readonly<Record<string, string>> = {
  user_id: "user",
  group_id: "group",
  project_id: "project",
  domain_id: "project",
  role_id: "role",
};

/** @returns A function that finds the names for a target: of what exists. */
async function namesInTargets(queries: Queries, events: readonly StoredAuditEvent[]) {
  const ids = new Map<string, Set<string>>();
  for (const { details } of events)
    for (const [member, id] of Object.entries(details.target)) {
      const table = NAMED_TABLES[member];
      if (table !== undefined) ids.set(table, (ids.get(table) ?? new Set()).add(id));
    }
  const found = new Map<string, ReadonlyMap<string, Named>>();
  for (const [table, each] of ids) found.set(table, await findNames(queries, table, each));
  return (target: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(target).flatMap(([member, id]) => {
        const named = found.get(NAMED_TABLES[member] ?? "")?.get(id);
        return named === undefined ? [] : [[member, named.name]];
      }),
    );
}

/** The id of the newest event beyond a number of newer ones; `undefined` if there are not so many. */
export async function findAuditEventBeyond(queries: Queries, count: number): Promise<string | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("audit_event")
    .select("id")
    .orderBy("id", "desc")
    .offset(count)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Rows that are deleted at a time. */
const MAX_DELETED_ROWS = 200;

/** Deletes some events up to an id, the oldest first. @returns Whether there may be more. */
export async function deleteAuditEventsTo(queries: Queries, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from audit_event where id in
    (select id from audit_event where id <= ${id} order by id limit ${sql.lit(MAX_DELETED_ROWS)})`.execute(
    queries.tables(),
  );
  return Number(numAffectedRows) === MAX_DELETED_ROWS;
}
