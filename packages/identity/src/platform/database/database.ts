/** The database: one interface over SQLite and PostgreSQL, typed by the tables that a store names. */
import type { ColumnDataType, Kysely, RawBuilder } from "kysely";

import type { ServiceEvent } from "../events.js";

/** Runs queries: the database, or one transaction of it. */
export interface Queries {
  /** Kysely, typed by the tables that the caller declares; always the same object. */
  tables<Tables>(): Kysely<Tables>;
}

/** A transaction: what it publishes is stored with it, or not at all. */
export interface Transaction extends Queries {
  /** Tells others of an event, once the transaction is committed; no one, where events are not published. */
  publish(event: ServiceEvent): void;
}

/** A transaction whose changes are no events, such as copies of what others have. */
export function unpublished(transaction: Queries): Transaction {
  return { ...transaction, publish: () => {} };
}

/** Stores the events of transactions in them. */
export interface EventStore<Origin = unknown> {
  /** What is being done: asked when an event is published, since one transaction may do the work of several requests. */
  origin(): Origin;
  store(
    transaction: Queries,
    events: readonly PublishedEvent<Origin>[],
    kind: Database["kind"],
  ): Promise<void>;
}

export interface PublishedEvent<Origin = unknown> {
  readonly event: ServiceEvent;
  readonly origin: Origin;
}

/** An open database. */
export interface Database extends Queries {
  readonly kind: "sqlite" | "postgres";
  /** Column types for migrations. */
  readonly columnTypes: ColumnTypes;
  /**
   * Runs work in a serializable transaction.
   *
   * On PostgreSQL it is retried on conflict, so it may only run queries, all of them on its `Queries`. It has to be short: on SQLite
   * no other process can write, and no other query of this process runs, until it ends.
   *
   * @throws {UniqueViolation} {@link ForeignKeyViolation} {@link DatabaseUnavailable}
   * @throws {OutcomeUnknown} It may or may not have been committed.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /**
   * For lists that GET requests show, and nothing else: on PostgreSQL it may read from standbys. They have every change that this
   * process made or was notified of, and lack at most the last milliseconds of others. Never authenticate, authorize or validate by it.
   */
  readonly forLists: Queries;
  /** Runs work in a transaction that excludes such work of all processes, and sees what that committed. */
  alone<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** @throws {DatabaseUnavailable} */
  ping(): Promise<void>;
  /**
   * Impairments in sentences without secrets; none if all is well. It does not wait for running queries.
   *
   * @throws {DatabaseUnavailable}
   */
  impairments(): Promise<readonly string[]>;
  /** The connections for requests; `undefined` on SQLite, which has one. */
  poolUse?(): PoolUse;
  /**
   * A number that changes when something of this kind may have changed: at once for a change by this process, in the next turn of the
   * event loop for another process on the same SQLite file, within a second for another process on the same PostgreSQL database. While
   * notices of PostgreSQL are interrupted, it changes with each call.
   *
   * A cache reads the number *before* the data, stores both, and returns the data while the number is unchanged. Read afterwards, the
   * number could be newer than the data.
   */
  revision(topic: Topic): number;
  close(): Promise<void>;
}

export interface PoolUse {
  readonly open: number;
  /** Of the open ones. */
  readonly idle: number;
  readonly max: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

/**
 * Kinds of cached data: `facts` are all resources that tokens show or depend on, `revocations` the events that revoke tokens, `limits`
 * the registered limits and the limits.
 */
export type Topic = "facts" | "revocations" | "limits";

/**
 * Kinds of changes whose transactions run one after the other, and the table that orders them: each sees what the one before has
 * committed, and becomes visible after it.
 */
export const ORDERED_BY: Readonly<Partial<Record<Topic, string>>> = { revocations: "revocation_position" };

export interface TransactionOptions {
  /** The kinds of cached data that the work may change; `["facts"]`, if left out. */
  readonly changes?: readonly Topic[];
  /** Of `alone`: fails within seconds if such work of another process is running, instead of waiting for it. */
  readonly isImpatient?: boolean;
  /** Of `alone`: excludes only work on the same subject. By default that is the whole database: migrations, key rotation. */
  readonly subject?: string | undefined;
  /**
   * Of `alone`: statements may take as long as they need. They wait only briefly for locks, so that requests don't queue behind them;
   * then the work is repeated, for up to a minute.
   */
  readonly isMigration?: boolean;
}

/** The types of columns in `createTable`. Values are the same on both databases. */
export interface ColumnTypes {
  /** Text that compares by its bytes, whatever the database's locale. */
  readonly text: ColumnType;
  /** `true` and `false`. */
  readonly boolean: ColumnType;
  /** A whole number of up to 32 bits. */
  readonly integer: ColumnType;
  /** A `Moment`, or any other whole number of up to 53 bits. */
  readonly moment: ColumnType;
  /** A `Buffer`. */
  readonly bytes: ColumnType;
}

type ColumnType = ColumnDataType | RawBuilder<unknown>;

export function queriesOf(kysely: Kysely<unknown>): Queries {
  return { tables: <Tables>() => kysely as unknown as Kysely<Tables> };
}

/** Runs the work of a transaction, and stores what it has published. */
export async function publishing<Result>(
  { kysely, kind, eventStore }: Publishing,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  const queries = queriesOf(kysely);
  const events: PublishedEvent[] = [];
  const publish = (event: ServiceEvent) => {
    if (eventStore !== undefined) events.push({ event, origin: eventStore.origin() });
  };
  const result = await work({ ...queries, publish });
  if (events.length > 0) await eventStore?.store(queries, events, kind);
  return result;
}

interface Publishing extends Pick<Database, "kind"> {
  /** In a transaction. */
  readonly kysely: Kysely<unknown>;
  readonly eventStore: EventStore | undefined;
}

/** Why a transaction was retried. */
export type RetryReason = "serialization_failure" | "deadlock" | "read_only";

/** What a process reports at {@link DatabaseEvents.onMigrationWait}. */
export const MIGRATION_WAITS =
  "the migration of the database waits, for up to 60 s, for a lock that another process or session holds";

export interface DatabaseEvents {
  /** An idle connection, or the one for notices, was lost. It is replaced. */
  readonly onConnectionLost?: ((error: Error) => void) | undefined;
  readonly onRetry?: ((reason: RetryReason) => void) | undefined;
  /** The primary is another host of the address. */
  readonly onFailover?: (() => void) | undefined;
  /** A connection pooler is in between, which loses notifications. Called once. */
  readonly onPooler?: (() => void) | undefined;
  /** A migration waits for a lock that another process holds. */
  readonly onMigrationWait?: (() => void) | undefined;
  /** A list was read, where standbys are configured. */
  readonly onListRead?: ((from: "primary" | "standby") => void) | undefined;
  /** A standby was asked. @param behind Bytes of the primary's log that it has not replayed. */
  readonly onStandbyLag?: ((host: string, behind: number) => void) | undefined;
}

export const TOPICS: readonly Topic[] = ["facts", "revocations", "limits"];

export interface Revisions {
  revision(topic: Topic): number;
  /** Something of these kinds may have changed; of all kinds, if left out. */
  advance(topics?: readonly Topic[]): void;
}

/** Counts the changes that this process knows of, by topic. */
export function createRevisions(): Revisions {
  const counts: Record<Topic, number> = { facts: 0, revocations: 0, limits: 0 };
  return {
    revision: (topic) => counts[topic],
    advance(topics = TOPICS) {
      for (const topic of topics) counts[topic]++;
    },
  };
}

/** The changes of a transaction whose caller names none. */
export const ASSUMED_CHANGES: readonly Topic[] = ["facts"];
