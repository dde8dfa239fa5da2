/** A connection to PostgreSQL, with the state that the pool needs: since when it waits, and whether it is reusable. */
import type { PostgresCursor, PostgresPoolClient } from "kysely";
import pg from "pg";

import type { BlockedStatements } from "./blocked-statements.js";
import { DatabaseUnavailable, OutcomeUnknown } from "../database-errors.js";
import { closeConnection, cutConnection, processIdOf } from "./hosts/postgres-connect.js";
import type { HostConnection } from "./hosts/postgres-hosts.js";
import { isFromStandby } from "./postgres-errors.js";
import { COMMIT_MS, type SessionTimeouts } from "./connection-settings.js";

export interface PostgresConnection {
  readonly generation: number;
  /** The server process of the connection. */
  readonly processId: number;
  /** When the pending statement was sent; `undefined` if none. */
  waitingSince(): number | undefined;
  /** Resolves when a timed-out commit is confirmed; `undefined` if none. */
  unconfirmed(): Promise<void> | undefined;
  isUsable(): boolean;
  /** Runs one statement. `commit` times out after {@link COMMIT_MS}. @throws {OutcomeUnknown} */
  query: PostgresPoolClient["query"];
  /** Closes the socket. A pending statement rejects with the reason. */
  cut(reason: Error): void;
  /** Closes the connection gracefully. */
  end(): Promise<void>;
}

export interface ConnectionOptions {
  readonly blocked: BlockedStatements;
  /** Behind a pooler, each transaction sets these itself: a setting of the session would reach other clients. */
  readonly limits: SessionTimeouts;
  /** The connection failed while idle, or was cut. */
  readonly onLost: (error: Error) => void;
  /** The connection was closed, for any reason. */
  readonly onEnd: () => void;
  /** The server rejected a write: it is a standby. */
  readonly onReadOnly: () => void;
}

const NOTHING = { command: "", rowCount: 0, rows: [] } as const;

export function createPostgresConnection(
  { client, generation, isPooled }: HostConnection,
  { blocked, limits, onLost, onEnd, onReadOnly }: ConnectionOptions,
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
      if (isFromStandby(error)) onReadOnly();
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

  /** In one message, so that the pooler sees one transaction. */
  async function beginWithLimits(begin: string): Promise<unknown> {
    const settings = Object.entries(limits).map(([name, value]) => `set local ${name} = '${value}'`);
    await send([begin, ...settings].join("; "));
    return NOTHING;
  }

  async function commit(): Promise<pg.QueryResult> {
    const confirmed = send("commit");
    const late = createDelay(COMMIT_MS);
    let result: pg.QueryResult | undefined;
    try {
      result = await Promise.race([confirmed, late.over]);
    } catch (error) {
      throw isKnownOutcome(error) ? error : new OutcomeUnknown({ cause: error });
    } finally {
      late.cancel();
    }
    if (result?.command === "ROLLBACK")
      throw new Error(
        "PostgreSQL rolled the transaction back: its work went on after a statement had failed",
      );
    if (result !== undefined) return result;
    unconfirmed = settled(confirmed).finally(() => {
      unconfirmed = undefined;
    });
    throw new OutcomeUnknown({
      cause: new Error(
        `PostgreSQL has not confirmed a commit within ${COMMIT_MS} ms: is a synchronous standby down?`,
      ),
    });
  }

  function query(text: string, values?: readonly unknown[]): Promise<unknown>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(given: string | PostgresCursor<unknown>, values?: readonly unknown[]): unknown {
    if (typeof given !== "string") return client.query(given as unknown as pg.Submittable);
    if (given === "commit") return commit();
    // A pending commit can't be rolled back.
    if (given === "rollback" && unconfirmed !== undefined) return Promise.resolve(NOTHING);
    if (isPooled && /^(?:begin|start transaction)/.test(given)) return beginWithLimits(given);
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

/** An error response has a known outcome, unless the server was terminating the session. */
function isKnownOutcome(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(?:08|57P)/.test(error.code ?? "");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Members of `pg.Client` without type declarations. */
interface ClientState {
  getTransactionStatus(): string | null;
}

/** An open transaction would leak into the next request. */
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
