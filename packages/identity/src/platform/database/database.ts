/** The database: one interface over SQLite and PostgreSQL, typed by the tables that a store names. */
import type { ColumnDataType, Kysely, RawBuilder } from "kysely";

/** What answers queries: the database itself, or one transaction of it. */
export interface Queries {
  /** Kysely over the tables that the caller declares. Costs nothing: it is always the same object. */
  tables<Tables>(): Kysely<Tables>;
}

/** A database that is open. */
export interface Database extends Queries {
  readonly kind: "sqlite" | "postgres";
  /** What migrations declare columns as. */
  readonly columnTypes: ColumnTypes;
  /**
   * Runs work whole or not at all, as if no other work ran at the same time.
   *
   * PostgreSQL may have it run again, so it does nothing but queries, all of them on the `Queries` that it is given. It is
   * short: SQLite has nobody else write, nor read in this process, until it ends.
   *
   * @throws {UniqueViolation} {@link ForeignKeyViolation} {@link DatabaseUnavailable}
   * @throws {OutcomeUnknown} It is not known whether it was committed.
   */
  transaction<Result>(
    work: (transaction: Queries) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** Runs work as a transaction that waits until no other process is in such work: migrations, key rotation. */
  alone<Result>(
    work: (transaction: Queries) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>;
  /** @throws {DatabaseUnavailable} It does not answer. */
  ping(): Promise<void>;
  /**
   * What works less well than it should, in sentences that anyone may read; none where all is well. It does not wait for
   * requests that are under way.
   *
   * @throws {DatabaseUnavailable} Nothing can be served.
   */
  impairments(): Promise<readonly string[]>;
  /**
   * A number that is another one once something of this kind may have changed: at once if this process did it; with
   * the next turn of the event loop if another one on the same SQLite file did, and within a second if another one on the same
   * PostgreSQL did. While PostgreSQL can't tell, it is another one at each call.
   *
   * Whoever remembers an answer asks for the number *before* reading what the answer is made of, and keeps both together. The
   * answer may be given again while the number is still that one. Asked for afterwards, it would vouch for what was read before
   * a change.
   */
  revision(topic: Topic): number;
  close(): Promise<void>;
}

/**
 * Kinds of what is remembered between requests: `facts` are all resources that a token's answer shows or rests on, `revocations`
 * the events that end tokens, `limits` the registered limits and the limits.
 */
export type Topic = "facts" | "revocations" | "limits";

/**
 * The table of those kinds of changes whose transactions run one after the other: each sees all that the one before has committed,
 * and none becomes visible before it.
 */
export const ORDERED_BY: Readonly<Partial<Record<Topic, string>>> = { revocations: "revocation_position" };

export interface TransactionOptions {
  /** What the work may change of what is remembered: `["facts"]` when left out, so that nothing is forgotten by mistake. */
  readonly changes?: readonly Topic[];
}

/** What a column of each meaning is called in `createTable`. Values are the same on both databases. */
export interface ColumnTypes {
  /** Text that compares by its bytes, whatever language the database speaks. */
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

/** Kysely's object as what stores ask. */
export function queriesOf(kysely: Kysely<unknown>): Queries {
  return { tables: <Tables>() => kysely as unknown as Kysely<Tables> };
}

/** What is told of the database while it is open. */
export interface DatabaseEvents {
  /** A connection that nobody was using has broken, or the one that hears of changes. It is replaced. */
  readonly onConnectionLost?: (error: Error) => void;
}
