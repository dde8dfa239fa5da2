/** The tables of revocation events, ordered by position. */
import type { QueryCreator, Selectable } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { MAX_IDS } from "../platform/database/table.js";
import type { RevocationEvent } from "./revocation.js";

interface RevocationRow {
  id: string;
  audit_id: string | null;
  audit_chain_id: string | null;
  user_id: string | null;
  trust_id: string | null;
  access_token_id: string | null;
  consumer_id: string | null;
  project_id: string | null;
  role_id: string | null;
  domain_scope_id: string | null;
  domain_id: string | null;
  identity_provider_id: string | null;
  protocol_id: string | null;
  expires_at: Moment | null;
  issued_before: Moment;
  revoked_at: Moment;
  /** `null` if a process of the previous release wrote it. */
  position: number | null;
}

interface Tables {
  readonly revocation_event: RevocationRow;
  /** One row. */
  readonly revocation_position: {
    /** The position of the newest event; 0 without events. */
    position: number;
    /** Events up to this position were deleted. */
    pruned_to: number;
  };
}

/** The columns of the features that an event may name. */
const COLUMNS = {
  auditId: "audit_id",
  auditChainId: "audit_chain_id",
  userId: "user_id",
  trustId: "trust_id",
  accessTokenId: "access_token_id",
  consumerId: "consumer_id",
  projectId: "project_id",
  roleId: "role_id",
  domainScopeId: "domain_scope_id",
  domainId: "domain_id",
  identityProviderId: "identity_provider_id",
  protocolId: "protocol_id",
  expiresAt: "expires_at",
} as const;

/**
 * Takes the next position. The row stays locked until the transaction ends: positions become visible in their order.
 *
 * A position is the current time in milliseconds, or the last position plus one if the clock is not beyond it: after a restore from
 * a backup, positions of earlier tokens are not assigned again. The order never depends on the clock.
 *
 * @param count How many positions to take.
 * @returns The last of them.
 */
export async function nextPosition(transaction: Queries, now: Moment, count = 1): Promise<number> {
  const taken = takePositions(transaction.tables<Tables>(), now, count);
  return (await taken.executeTakeFirstOrThrow()).position;
}

function takePositions(tables: QueryCreator<Tables>, now: Moment, count: number) {
  return tables
    .updateTable("revocation_position")
    .set((eb) => ({
      position: eb
        .case()
        .when("position", "<", now)
        .then(eb.val(now + count - 1))
        .else(eb("position", "+", count))
        .end(),
    }))
    .returning("position");
}

/** Inserts a new event at the next position. @see nextPosition */
export async function appendEvent(
  transaction: Queries,
  kind: Database["kind"],
  { id, event }: IdentifiedEvent,
): Promise<void> {
  if (kind === "sqlite") {
    const position = await nextPosition(transaction, event.revokedAt);
    return insertEvents(transaction, [{ id, event: { ...event, position } }]);
  }
  // One statement: other revocations wait for this transaction.
  await transaction
    .tables<Tables>()
    .with("taken", (tables) => takePositions(tables, event.revokedAt, 1))
    .insertInto("revocation_event")
    .values((eb) => ({
      ...toRow({ id, event }),
      position: eb.selectFrom("taken").select("taken.position"),
    }))
    .execute();
}

/** The position that a transaction sees: its own, if it has taken one. */
export async function positionIn(queries: Queries): Promise<number> {
  const { position } = await queries
    .tables<Tables>()
    .selectFrom("revocation_position")
    .select("position")
    .executeTakeFirstOrThrow();
  return position;
}

/** An event with its id. */
export interface IdentifiedEvent {
  readonly id: string;
  readonly event: RevocationEvent;
}

/** Inserts events, except those whose ids exist. */
export async function insertEvents(queries: Queries, events: readonly IdentifiedEvent[]): Promise<void> {
  const tables = queries.tables<Tables>();
  for (let start = 0; start < events.length; start += MAX_IDS) {
    const rows = events.slice(start, start + MAX_IDS).map(toRow);
    await tables
      .insertInto("revocation_event")
      .values(rows)
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  }
}

/** Those of some ids that exist. */
export async function existingEventIds(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  const existing = new Set<string>();
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom("revocation_event")
      .select("id")
      .where("id", "in", ids.slice(start, start + MAX_IDS))
      .execute();
    for (const { id } of rows) existing.add(id);
  }
  return existing;
}

export interface StoredEvents {
  readonly events: readonly RevocationEvent[];
  /** Events up to this position were deleted. */
  readonly prunedTo: number;
}

/** Events after a position, in slices in the order of their positions, each with those that have none. */
export async function* eventsAfter(queries: Queries, position: number): AsyncGenerator<StoredEvents> {
  const tables = queries.tables<Tables>();
  const events = tables.selectFrom("revocation_event").selectAll();
  for (let after = position, isFull = true; isFull;) {
    const slice = events.where("position", ">", after).orderBy("position").limit(MAX_READ_EVENTS);
    const either = tables
      .selectFrom(slice.as("slice"))
      .selectAll()
      .unionAll(events.where("position", "is", null));
    const rows = await tables
      .selectFrom(either.as("either"))
      .selectAll()
      .select((eb) => eb.selectFrom("revocation_position").select("pruned_to").as("pruned_to"))
      .execute();
    const positions = rows.flatMap((row) => row.position ?? []);
    after = Math.max(after, ...positions);
    isFull = positions.length === MAX_READ_EVENTS;
    if (rows.length > 0) yield { events: rows.map(toEvent), prunedTo: rows[0]?.pruned_to ?? 0 };
  }
}

/** The events since a time, in slices; those without a position first, the others in the order of their positions. */
export async function* readEventsSince(
  queries: Queries,
  since: Moment,
): AsyncGenerator<readonly RevocationEvent[]> {
  const events = queries
    .tables<Tables>()
    .selectFrom("revocation_event")
    .selectAll()
    .where("revoked_at", ">=", since);
  yield (await events.where("position", "is", null).execute()).map(toEvent);
  for (let after = -1, isFull = true; isFull;) {
    const rows = await events.where("position", ">", after).orderBy("position").limit(MAX_IDS).execute();
    yield rows.map(toEvent);
    after = rows.at(-1)?.position ?? after;
    isFull = rows.length === MAX_IDS;
  }
}

/** The newest events, kept whatever their age: enough that a few with a wrong time have no effect. */
export const MIN_EVENTS = 1000;
/** Events that are deleted at a time: on SQLite, a few milliseconds in which no request is answered. */
const MAX_PRUNED_EVENTS = 200;
/** Events that are read at a time. */
const MAX_READ_EVENTS = 500;

export interface PruneOptions {
  readonly now: Moment;
  /** The age at which every token that an event could concern has expired. */
  readonly maxAgeMs: number;
}

/**
 * Deletes some of the events that are too old to concern any token, the first ones first, in a transaction that changes `revocations`.
 *
 * The clock may have been wrong when an event was written, and may be wrong now. So the age is relative to the earliest of the newest
 * events, times in the future are ignored, and the position of the last deleted event is stored: older tokens are rejected.
 *
 * @returns Whether there may be more.
 */
export async function pruneEvents(transaction: Queries, { now, maxAgeMs }: PruneOptions): Promise<boolean> {
  const tables = transaction.tables<Tables>();
  const newest = tables
    .selectFrom("revocation_event")
    .select("revoked_at")
    .where("position", "is not", null)
    .orderBy("position", "desc")
    .limit(MIN_EVENTS);
  const { count, earliest } = await tables
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [
      fn.countAll<number>().as("count"),
      fn.min<Moment | null>("newest.revoked_at").as("earliest"),
    ])
    .executeTakeFirstOrThrow();
  if (count < MIN_EVENTS) return false;
  const oldest = Math.min(now, earliest ?? now) - maxAgeMs;
  const unplaced = tables
    .selectFrom("revocation_event")
    .select("id")
    .where("position", "is", null)
    .where("revoked_at", "<", oldest)
    .limit(MAX_PRUNED_EVENTS);
  await tables.deleteFrom("revocation_event").where("id", "in", unplaced).execute();
  const { prunable, hasMore } = await findPrunable(transaction, { oldest, now });
  if (prunable === undefined) return false;
  await tables.deleteFrom("revocation_event").where("position", "<=", prunable).execute();
  await tables.updateTable("revocation_position").set({ pruned_to: prunable }).execute();
  return hasMore;
}

/** The last old event before the first one that is not, among the first events; those with a time in the future don't count. */
async function findPrunable(
  queries: Queries,
  { oldest, now }: { readonly oldest: Moment; readonly now: Moment },
): Promise<{ readonly prunable: number | undefined; readonly hasMore: boolean }> {
  let prunable: number | undefined;
  for (let after = -1; ;) {
    const rows = await queries
      .tables<Tables>()
      .selectFrom("revocation_event")
      .select(["position", "revoked_at"])
      .where("position", ">", after)
      .orderBy("position")
      .limit(MAX_PRUNED_EVENTS)
      .execute();
    for (const { position, revoked_at: revokedAt } of rows) {
      if (revokedAt >= oldest && revokedAt <= now) return { prunable, hasMore: false };
      if (revokedAt < oldest) prunable = position ?? prunable;
    }
    const hasMore = rows.length === MAX_PRUNED_EVENTS;
    if (prunable !== undefined || !hasMore) return { prunable, hasMore };
    after = rows.at(-1)?.position ?? after;
  }
}

function toRow({ id, event }: IdentifiedEvent): RevocationRow {
  const features = Object.entries(COLUMNS) as [keyof typeof COLUMNS, keyof RevocationRow][];
  const named = features.map(([feature, column]) => [column, event[feature] ?? null]);
  return {
    ...(Object.fromEntries(named) as Omit<RevocationRow, "id" | "issued_before" | "revoked_at" | "position">),
    id,
    issued_before: event.issuedBefore,
    revoked_at: event.revokedAt,
    position: event.position ?? null,
  };
}

function toEvent(row: Selectable<RevocationRow>): RevocationEvent {
  const named = Object.entries(COLUMNS)
    .map(([feature, column]) => [feature, row[column]] as const)
    .filter(([, value]) => value !== null);
  return {
    ...(Object.fromEntries(named) as Omit<RevocationEvent, "issuedBefore" | "revokedAt" | "position">),
    issuedBefore: row.issued_before,
    revokedAt: row.revoked_at,
    ...(row.position !== null && { position: row.position }),
  };
}
