/**
 * The events in the database, until every receiver has taken them. They get their positions after they are committed, by the one process
 * that sends: a receiver that has taken all up to a position has missed none.
 */
import { channel } from "node:diagnostics_channel";
import { setImmediate as nextTurn } from "node:timers/promises";

import { sql, type RawBuilder } from "kysely";

import type { Moment } from "../platform/clock.js";
import type { Database, Queries } from "../platform/database/database.js";
import { rowsOf } from "../platform/database/table.js";
import type { EventRecord } from "./event-record.js";

const { toRow } = rowsOf<StoredEvent>()({ id: "id", at: "at", type: "type", record: { json: "record" } });

export interface StoredEvent {
  readonly id: string;
  readonly at: Moment;
  readonly type: string;
  readonly record: Omit<EventRecord, "id" | "at">;
}

interface Tables {
  readonly service_event: ReturnType<typeof toRow> & {
    /** When the database wrote it, in microseconds; 0 on SQLite. */
    written_at: number | RawBuilder<number>;
    ordinal: number;
    position: number | null;
  };
  readonly event_receiver: { name: string; position: number; dropped: number };
  /** Its only row. */
  readonly event_sender: {
    id: number;
    holder: string | null;
    held_until: Moment;
    /** The last position. */
    numbered_to: number;
  };
}

/** Has a message when this process has stored events, which are committed soon. */
export const eventsStored = channel("identity:events-stored");

/** Events of one statement: a large domain that is deleted has one for each user, and a statement a limited number of values. */
const MAX_INSERTED = 250;

/** Stores events in the transaction of their change, in their order. */
export async function insertServiceEvents(
  queries: Queries,
  events: readonly StoredEvent[],
  kind: Database["kind"],
): Promise<void> {
  // Conflicting transactions end one after the other: by this time, the events of a subject are in order, whichever process wrote them.
  const writtenAt =
    kind === "sqlite" ? 0 : sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;
  for (let at = 0; at < events.length; at += MAX_INSERTED) {
    const rows = events
      .slice(at, at + MAX_INSERTED)
      .map((event, index) =>
        Object.assign(toRow(event), { written_at: writtenAt, ordinal: at + index, position: null }),
      );
    await queries.tables<Tables>().insertInto("service_event").values(rows).execute();
    await nextTurn();
  }
  eventsStored.publish(undefined);
}

/** Whether events wait for their positions. */
export async function hasNewEvents(queries: Queries): Promise<boolean> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("service_event")
    .select("id")
    .where("position", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Events that get their positions at a time. */
const MAX_NUMBERED = 1000;

/** Gives new events their positions, in a transaction that excludes others that do. @returns Whether there may be more. */
export async function numberEvents(queries: Queries, kind: Database["kind"]): Promise<boolean> {
  const tables = queries.tables<Tables>();
  // SQLite has one writer: its rows are in the order of commits.
  const order = kind === "sqlite" ? sql`rowid` : sql`written_at, ordinal`;
  const rows = await tables
    .selectFrom("service_event")
    .select("id")
    .where("position", "is", null)
    .orderBy(order)
    .limit(MAX_NUMBERED)
    .execute();
  if (rows.length === 0) return false;
  const { numbered_to: last } = await tables
    .selectFrom("event_sender")
    .select("numbered_to")
    .executeTakeFirstOrThrow();
  const first = last + 1;
  const positions = rows.map(({ id }, index) => sql`when ${id} then ${sql.lit(first + index)}`);
  await sql`update service_event set position = case id ${sql.join(positions, sql` `)} end
    where id in (${sql.join(rows.map(({ id }) => id))})`.execute(tables);
  await tables
    .updateTable("event_sender")
    .set({ numbered_to: last + rows.length })
    .execute();
  return rows.length === MAX_NUMBERED;
}

/** An event with its position. */
export interface PositionedEvent extends EventRecord {
  readonly position: number;
}

/** The events after a position, in order. */
export async function serviceEventsAfter(
  queries: Queries,
  position: number,
  limit: number,
): Promise<PositionedEvent[]> {
  const rows = await queries
    .tables<Tables>()
    .selectFrom("service_event")
    .select(["id", "at", "record", "position"])
    .where("position", ">", position)
    .orderBy("position")
    .limit(limit)
    .execute();
  return rows.map(({ id, at, record, position: own }) =>
    Object.assign(JSON.parse(record) as StoredEvent["record"], { id, at, position: own ?? 0 }),
  );
}

/** How far a receiver is, and how many events were deleted before it took them: positions have no gaps. */
export interface ReceiverState {
  readonly position: number;
  readonly dropped: number;
}

/** Where a receiver is that may be new: it gets the events from now on. */
export async function openReceiver(queries: Queries, name: string): Promise<ReceiverState> {
  const tables = queries.tables<Tables>();
  const known = await tables
    .selectFrom("event_receiver")
    .select(["position", "dropped"])
    .where("name", "=", name)
    .executeTakeFirst();
  if (known !== undefined) return known;
  const { numbered_to: position } = await tables
    .selectFrom("event_sender")
    .select("numbered_to")
    .executeTakeFirstOrThrow();
  const state = { position, dropped: 0 };
  await tables
    .insertInto("event_receiver")
    .values({ name, ...state })
    .execute();
  return state;
}

/** Never goes back: a process that comes to itself after another one took over changes nothing. */
export async function setReceiver(queries: Queries, name: string, state: ReceiverState): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("event_receiver")
    .set(state)
    .where("name", "=", name)
    .where("position", "<=", state.position)
    .execute();
}

/** How many events after a position were deleted, up to the first that is kept. */
export async function deletedAfter(queries: Queries, position: number): Promise<number> {
  // One statement: other events are numbered meanwhile.
  const { numbered_to: last, kept } = await queries
    .tables<Tables>()
    .selectFrom("event_sender")
    .select((eb) => [
      "numbered_to",
      eb
        .selectFrom("service_event")
        .select(({ fn }) => fn.min("position").as("first"))
        .where("position", ">", position)
        .as("kept"),
    ])
    .executeTakeFirstOrThrow();
  return (kept ?? last + 1) - 1 - position;
}

/**
 * Takes or keeps the right to send, if no living process has it, by the database's clock: those of processes may differ.
 *
 * @returns Whether it is held.
 */
export async function holdSending(
  database: Pick<Database, "kind">,
  transaction: Queries,
  { holder, now, holdMs }: { readonly holder: string; readonly now: Moment; readonly holdMs: number },
): Promise<boolean> {
  const clock =
    database.kind === "sqlite"
      ? sql<number>`cast(${now} as integer)`
      : sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const { numUpdatedRows } = await transaction
    .tables<Tables>()
    .updateTable("event_sender")
    .set({ holder, held_until: sql<number>`${clock} + ${sql.lit(holdMs)}` })
    .where((eb) => eb.or([eb("holder", "=", holder), eb("holder", "is", null), eb("held_until", "<", clock)]))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Leaves the right to send to others. */
export async function releaseSending(queries: Queries, holder: string): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("event_sender")
    .set({ holder: null, held_until: 0 })
    .where("holder", "=", holder)
    .execute();
}

export interface Backlog {
  /** Events that a receiver has not taken. */
  readonly count: number;
  /** Of the first of them. */
  readonly oldestAt: Moment | undefined;
}

export async function backlogAfter(queries: Queries, position: number): Promise<Backlog> {
  const tables = queries.tables<Tables>();
  const { numbered_to: last } = await tables
    .selectFrom("event_sender")
    .select("numbered_to")
    .executeTakeFirstOrThrow();
  const { unnumbered } = await tables
    .selectFrom("service_event")
    .select((eb) => eb.fn.countAll<number | string>().as("unnumbered"))
    .where("position", "is", null)
    .executeTakeFirstOrThrow();
  const oldest = await tables
    .selectFrom("service_event")
    .select("at")
    .where("position", ">", position)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst();
  return {
    count: last - position + Number(unnumbered),
    oldestAt: oldest?.at,
  };
}

/** Rows that are deleted at a time. */
const MAX_DELETED_ROWS = 500;

/** Deletes some events that are too old or too many, the oldest first. @returns Whether there may be more. */
export async function deleteOldEvents(
  queries: Queries,
  { before, maxRows }: { readonly before: Moment; readonly maxRows: number },
): Promise<boolean> {
  const tables = queries.tables<Tables>();
  const beyond = await tables
    .selectFrom("service_event")
    .select("position")
    .where("position", "is not", null)
    .orderBy("position", "desc")
    .offset(maxRows)
    .limit(1)
    .executeTakeFirst();
  const { numAffectedRows } = await sql`delete from service_event where id in
    (select id from service_event where position is not null and (at < ${before} or position <= ${beyond?.position ?? -1})
     order by position limit ${sql.lit(MAX_DELETED_ROWS)})`.execute(tables);
  return Number(numAffectedRows) === MAX_DELETED_ROWS;
}
