/**
 * Finds connections that have died without a reset, such as behind a firewall that forgot them, and ends them.
 *
 * The protocol is silent while a statement runs, so silence proves nothing. A statement that takes long is therefore checked
 * over a new connection: where that can't be made, the network or the server is gone; where the server's process is idle, its
 * answer was lost, or it has never heard the statement.
 */
import pg from "pg";

import { processIdOf, type PostgresConnection } from "./postgres-connection.js";
import { closeConnection, cutConnection, type PostgresHosts } from "./postgres-hosts.js";
import { CHECK_MS, MAX_ANSWER_MS, SUSPECT_MS, WATCH_MS } from "./postgres-limits.js";

export interface WatchOptions {
  readonly hosts: Pick<PostgresHosts, "openCurrent">;
  readonly connections: () => Iterable<PostgresConnection>;
  /** Called each time before connections are looked over. */
  readonly onTick: () => void;
}

/** A statement that is suspected to be lost. */
interface Suspect {
  readonly connection: PostgresConnection;
  /** When it was sent, by which it is known again. */
  readonly since: number;
}

/** Watches until it is stopped. @returns What stops it. */
export function watchConnections({ hosts, connections, onTick }: WatchOptions): () => void {
  /** When a connection was last seen to be worked for, and which statements were once found lost. */
  const seenBusy = new WeakMap<PostgresConnection, number>();
  const foundLost = new WeakMap<PostgresConnection, number>();
  let isChecking = false;

  function lookOver(): void {
    onTick();
    const now = performance.now();
    const suspects: Suspect[] = [];
    for (const connection of connections()) {
      const since = connection.waitingSince();
      if (since === undefined || now - since < SUSPECT_MS) continue;
      if (now - Math.max(since, seenBusy.get(connection) ?? 0) > MAX_ANSWER_MS)
        connection.cut(new Error(`connection cut: PostgreSQL has not answered within ${MAX_ANSWER_MS} ms`));
      else suspects.push({ connection, since });
    }
    if (suspects.length > 0 && !isChecking) void check(suspects);
  }

  async function check(suspects: readonly Suspect[]): Promise<void> {
    isChecking = true;
    try {
      judge(suspects, await askServer(hosts, suspects));
    } catch (error) {
      // A server that refuses, for instance because it has too many connections, is there.
      if (!(error instanceof pg.DatabaseError))
        cutAll(suspects, new Error("connection cut: PostgreSQL can't be reached", { cause: error }));
    } finally {
      isChecking = false;
    }
  }

  function judge(suspects: readonly Suspect[], isLost: (processId: number) => boolean): void {
    for (const suspect of suspects) {
      const { connection, since } = suspect;
      if (!isLost(connection.processId)) seenBusy.set(connection, performance.now());
      // An answer that is on its way looks the same, once.
      else if (foundLost.get(connection) === since)
        cutAll([suspect], new Error("connection cut: PostgreSQL does not work for it, its answer was lost"));
      else foundLost.set(connection, since);
    }
  }

  const timer = setInterval(lookOver, WATCH_MS).unref();
  return () => clearInterval(timer);
}

/** Cuts the connections that still wait for the same answer. */
function cutAll(suspects: readonly Suspect[], reason: Error): void {
  for (const { connection, since } of suspects)
    if (connection.waitingSince() === since) connection.cut(reason);
}

interface Activity {
  readonly pid: number;
  readonly state: string | null;
  readonly own: number;
}

/** Asks which of the server's processes wait for us, while we wait for them. @throws It can't be asked. */
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
    // A pooler has numbers of its own: it can't be told which process is meant.
    if (rows[0]?.own !== processIdOf(client)) return () => false;
    const states = new Map(rows.map(({ pid, state }) => [pid, state]));
    return (processId) => isWaiting(states.get(processId));
  } finally {
    clearTimeout(late);
    void closeConnection(client);
  }
}

/** @param state `undefined` where there is no such process; `null` and others where it is not told. */
function isWaiting(state: string | null | undefined): boolean {
  return state === undefined || state?.startsWith("idle") === true;
}
