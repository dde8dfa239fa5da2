/**
 * Detects and closes half-open connections, such as those dropped by a firewall without a reset.
 *
 * The protocol is silent while a statement runs, so silence proves nothing. A long-running statement is therefore checked over a
 * new connection: if that fails, network or server are down; if the server process is idle, the statement or its response was
 * lost.
 */
import pg from "pg";

import { closeConnection, cutConnection, processIdOf } from "./hosts/postgres-connect.js";
import type { PostgresConnection } from "./postgres-connection.js";
import type { PostgresHosts } from "./hosts/postgres-hosts.js";
import { CHECK_MS, SUSPECT_MS, WATCH_MS } from "./connection-settings.js";

export interface WatchOptions {
  readonly hosts: Pick<PostgresHosts, "openCurrent" | "generation">;
  readonly connections: () => Iterable<PostgresConnection>;
  /** A statement's connection is closed after this time in any case. */
  readonly maxAnswerMs: number;
  /** Called before each check. */
  readonly onTick: () => void;
  /** The server does not respond: idle connections are dead too. */
  readonly onUnreachable: () => void;
}

/** A statement that may be lost. */
interface Suspect {
  readonly connection: PostgresConnection;
  /** When it was sent; identifies the statement. */
  readonly since: number;
}

/** Starts watching. @returns Stops it. */
export function watchConnections(options: WatchOptions): () => void {
  const { hosts, connections, maxAnswerMs, onTick, onUnreachable } = options;
  /** When the server was last seen working for a connection, and the statements found lost once. */
  const seenBusy = new WeakMap<PostgresConnection, number>();
  const foundLost = new WeakMap<PostgresConnection, number>();
  let isChecking = false;

  function lookOver(): void {
    onTick();
    const now = performance.now();
    const suspects: Suspect[] = [];
    for (const connection of connections()) {
      const since = connection.waitingSince();
      if (since === undefined) continue;
      // What a former primary confirms is lost, and what it returns is outdated.
      if (connection.generation !== hosts.generation()) {
        connection.cut(new Error("connection closed: PostgreSQL failed over to another host"));
        continue;
      }
      if (now - since < SUSPECT_MS) continue;
      if (now - Math.max(since, seenBusy.get(connection) ?? 0) > maxAnswerMs)
        connection.cut(new Error(`connection closed: no response from PostgreSQL within ${maxAnswerMs} ms`));
      else suspects.push({ connection, since });
    }
    if (suspects.length > 0 && !isChecking) void check(suspects);
  }

  async function check(suspects: readonly Suspect[]): Promise<void> {
    isChecking = true;
    try {
      judge(suspects, await askServer(hosts, suspects));
    } catch (error) {
      if (isRejection(error)) return;
      cutAll(suspects, new Error("connection closed: PostgreSQL is unreachable", { cause: error }));
      onUnreachable();
    } finally {
      isChecking = false;
    }
  }

  function judge(suspects: readonly Suspect[], isLost: (processId: number) => boolean): void {
    for (const suspect of suspects) {
      const { connection, since } = suspect;
      if (!isLost(connection.processId)) seenBusy.set(connection, performance.now());
      // A response in transit looks the same, once.
      else if (foundLost.get(connection) === since)
        cutAll([suspect], new Error("connection closed: PostgreSQL is idle, the response was lost"));
      else foundLost.set(connection, since);
    }
  }

  const timer = setInterval(lookOver, WATCH_MS).unref();
  return () => clearInterval(timer);
}

/**
 * A server that rejects the connection, for example because of too many connections, is reachable. A pooler reports by class 08 that
 * its server is not.
 */
function isRejection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith("08") !== true;
}

/** Closes the connections that still wait for the same response. */
function cutAll(suspects: readonly Suspect[], reason: Error): void {
  for (const { connection, since } of suspects)
    if (connection.waitingSince() === since) connection.cut(reason);
}

interface Activity {
  readonly pid: number;
  readonly state: string | null;
  readonly own: number;
}

/** Asks which server processes are idle while we wait for them. @throws The query failed. */
async function askServer(
  hosts: Pick<PostgresHosts, "openCurrent">,
  suspects: readonly Suspect[],
): Promise<(processId: number) => boolean> {
  const client = await hosts.openCurrent({ application_name: "hamkit-identity-check" }, CHECK_MS);
  const late = setTimeout(() => cutConnection(client), CHECK_MS);
  try {
    const { rows } = await client.query<Activity>(
      "select pid, state, pg_backend_pid() as own from pg_stat_activity where pid = any($1::int[]) or pid = pg_backend_pid()",
      [suspects.map(({ connection }) => connection.processId)],
    );
    // A pooler assigns its own process ids, which don't identify server processes.
    if (rows[0]?.own !== processIdOf(client)) return () => false;
    const states = new Map(rows.map(({ pid, state }) => [pid, state]));
    return (processId) => isWaiting(states.get(processId));
  } finally {
    clearTimeout(late);
    void closeConnection(client);
  }
}

/** @param state `undefined` if the process does not exist; `null` if not visible. */
function isWaiting(state: string | null | undefined): boolean {
  return state === undefined || state?.startsWith("idle") === true;
}
