/** One connection to PostgreSQL, with what a pool has to know of it: since when it waits, and whether it is still of use. */
import type { PostgresCursor, PostgresPoolClient } from "kysely";
import pg from "pg";

import type { BlockedStatements } from "./blocked-statements.js";
import { DatabaseUnavailable, OutcomeUnknown } from "../database-errors.js";
import { closeConnection, cutConnection, type HostConnection } from "./postgres-hosts.js";
import { COMMIT_MS } from "./postgres-limits.js";

export interface PostgresConnection {
  readonly generation: number;
  /** The process of the server that works for it. */
  readonly processId: number;
  /** When the statement was sent that is not answered yet; `undefined` while there is none. */
  waitingSince(): number | undefined;
  /** Resolves once a commit is answered that was not waited for any longer; `undefined` where there is none. */
  unconfirmed(): Promise<void> | undefined;
  /** Whether it can be used for another request. */
  isUsable(): boolean;
  /** Runs one statement; `commit` is waited for no longer than {@link COMMIT_MS}. @throws {OutcomeUnknown} */
  query: PostgresPoolClient["query"];
  /** Ends it at once. What waits is rejected with the reason. */
  cut(reason: Error): void;
  /** Says goodbye, and ends it. */
  end(): Promise<void>;
}

export interface ConnectionEvents {
  readonly blocked: BlockedStatements;
  /** It has broken while nothing waited on it, or was cut. */
  readonly onLost: (error: Error) => void;
  /** It has ended, for whatever reason. */
  readonly onEnd: () => void;
  /** The server refuses to write: it is a standby, or has become one. */
  readonly onReadOnly: () => void;
}

const NOTHING = { command: "ROLLBACK", rowCount: 0, rows: [] } as const;

export function createPostgresConnection(
  { client, generation }: HostConnection,
  { blocked, onLost, onEnd, onReadOnly }: ConnectionEvents,
): PostgresConnection {
  let waitingSince: number | undefined;
  let unconfirmed: Promise<void> | undefined;
  let cutBy: DatabaseUnavailable | undefined;
  let hasEnded = false;

  client.on("error", (error) => {
    if (waitingSince === undefined && cutBy === undefined && !hasEnded) onLost(error);
    hasEnded = true;
  });
  client.on("end", () => {
    hasEnded = true;
    onEnd();
  });

  async function send(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    waitingSince = performance.now();
    try {
      return await client.query(text, values);
    } catch (error) {
      if (codeOf(error) === "25006") onReadOnly();
      throw cutBy ?? error;
    } finally {
      waitingSince = undefined;
    }
  }

  async function run(text: string, values?: unknown[]): Promise<pg.QueryResult> {
    const settle = blocked.begin(text);
    let isLockTimeout = false;
    try {
      return await send(text, values);
    } catch (error) {
      isLockTimeout = codeOf(error) === "55P03";
      throw error;
    } finally {
      settle({ isLockTimeout });
    }
  }

  async function commit(): Promise<pg.QueryResult> {
    const confirmed = send("commit");
    const late = createDelay(COMMIT_MS);
    try {
      const result = await Promise.race([confirmed, late.over]);
      if (result !== undefined) return result;
    } catch (error) {
      throw isKnownOutcome(error) ? error : new OutcomeUnknown({ cause: error });
    } finally {
      late.cancel();
    }
    unconfirmed = settled(confirmed).finally(() => {
      unconfirmed = undefined;
    });
    throw new OutcomeUnknown({
      cause: new Error(
        `PostgreSQL has not confirmed a commit within ${COMMIT_MS} ms: is a synchronous standby away?`,
      ),
    });
  }

  function query(text: string, values?: readonly unknown[]): Promise<unknown>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(given: string | PostgresCursor<unknown>, values?: readonly unknown[]): unknown {
    if (typeof given !== "string") return client.query(given as unknown as pg.Submittable);
    if (given === "commit") return commit();
    // The commit is under way: there is nothing to take back.
    if (given === "rollback" && unconfirmed !== undefined) return Promise.resolve(NOTHING);
    return run(given, values as unknown[]);
  }

  return {
    generation,
    processId: processIdOf(client),
    waitingSince: () => waitingSince,
    unconfirmed: () => unconfirmed,
    isUsable: () => !hasEnded && cutBy === undefined && isOutsideTransaction(client),
    query: query as PostgresPoolClient["query"],
    cut(reason) {
      if (cutBy !== undefined || hasEnded) return;
      cutBy = new DatabaseUnavailable({ cause: reason });
      onLost(reason);
      cutConnection(client);
    },
    async end() {
      if (hasEnded) return;
      hasEnded = true;
      await closeConnection(client);
    },
  };
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

/** What the server has answered is known, unless it was about to end the session. */
function isKnownOutcome(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(?:08|57P)/.test(error.code ?? "");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** `pg` keeps these without declaring them. */
interface ClientState {
  readonly processID: number | null;
  getTransactionStatus(): string | null;
}

/** The number that the server gave; a pooler gives one of its own. */
export function processIdOf(client: pg.Client): number {
  return (client as unknown as ClientState).processID ?? 0;
}

/** A transaction that was left open would run into the next request. */
function isOutsideTransaction(client: pg.Client): boolean {
  return (client as unknown as ClientState).getTransactionStatus() === "I";
}

function createDelay(ms: number): { readonly over: Promise<undefined>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return { over, cancel: () => clearTimeout(timer) };
}
