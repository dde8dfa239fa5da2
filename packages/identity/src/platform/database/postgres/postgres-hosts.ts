/** The hosts of a PostgreSQL: connects to the one that is asked for, and follows it when it moves to another host. */
import pg from "pg";

import { DatabaseUnavailable } from "../database-errors.js";
import type { PostgresAddress, TargetSession } from "./postgres-address.js";
import { CONNECT_MS, KEEPALIVE_MS, SERVER_SETTINGS } from "./postgres-limits.js";

export interface PostgresHosts {
  /**
   * Opens a connection to the first host that is as asked for, beginning with the one that was so last time.
   *
   * @throws {DatabaseUnavailable} None is, with the reason of each.
   */
  open(config: pg.ClientConfig): Promise<HostConnection>;
  /** Opens a connection to the current host, whatever it is, or to none. */
  openCurrent(config: pg.ClientConfig, timeoutMs: number): Promise<pg.Client>;
  /** Another number once another host is followed: connections of other generations lead to a host that was left. */
  generation(): number;
}

/** A connection that is ready for use. An error of it that nobody listens for is ignored. */
export interface HostConnection {
  readonly client: pg.Client;
  readonly generation: number;
}

export function createPostgresHosts({ urls, targetSession }: PostgresAddress): PostgresHosts {
  let current = 0;
  let generation = 0;

  async function openAt(index: number, config: pg.ClientConfig): Promise<HostConnection> {
    const client = await connectTo(urls[index] ?? urls[0], config, {
      timeoutMs: CONNECT_MS,
      prepare: (opened) => prepareSession(opened, targetSession),
    });
    if (index !== current) {
      current = index;
      generation++;
    }
    return { client, generation };
  }

  return {
    async open(config) {
      const first = current;
      const failures: Error[] = [];
      for (let step = 0; step < urls.length; step++) {
        try {
          return await openAt((first + step) % urls.length, config);
        } catch (error) {
          failures.push(error as Error);
        }
      }
      const [only] = failures;
      if (failures.length === 1) throw only;
      const reasons = failures.map(({ message }) => message).join("; ");
      throw new DatabaseUnavailable({ cause: new Error(`no host is ${targetSession}: ${reasons}`) });
    },
    openCurrent: (config, timeoutMs) => connectTo(urls[current] ?? urls[0], config, { timeoutMs }),
    generation: () => generation,
  };
}

interface ConnectOptions {
  /** For everything: TCP, TLS, login and what prepares the session. */
  readonly timeoutMs: number;
  readonly prepare?: (client: pg.Client) => Promise<void>;
}

async function connectTo(
  url: string,
  config: pg.ClientConfig,
  { timeoutMs, prepare }: ConnectOptions,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...config,
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  });
  // Without a listener an error ends the process. Who uses the connection learns of its loss by the next query.
  client.on("error", () => {});
  const late = setTimeout(() => cutConnection(client, timeoutError(client, timeoutMs)), timeoutMs);
  try {
    await client.connect();
    await prepare?.(client);
    return client;
  } catch (error) {
    cutConnection(client);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

function timeoutError({ host, port }: pg.Client, timeoutMs: number): Error {
  return Object.assign(new Error(`connect ${host}:${port}: no answer within ${timeoutMs} ms`), {
    code: "ETIMEDOUT",
  });
}

interface SessionFacts {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/** Has the server notice a client that went away, and finds out whether it is as asked for. */
async function prepareSession(client: pg.Client, targetSession: TargetSession): Promise<void> {
  const settings = Object.entries(SERVER_SETTINGS).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  const { rows } = await client.query<SessionFacts>(
    `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::bool as "isReadOnly", ${settings.join(", ")}`,
  );
  const fault = faultOf(rows[0], targetSession);
  if (fault === undefined) return;
  throw new DatabaseUnavailable({ cause: new Error(`${client.host}:${client.port} ${fault}`) });
}

function faultOf(facts: SessionFacts | undefined, targetSession: TargetSession): string | undefined {
  if (targetSession === "any" || facts === undefined) return undefined;
  if (facts.isStandby) return "is a standby";
  return targetSession === "read-write" && facts.isReadOnly ? "is read-only" : undefined;
}

/** Time for the goodbye to arrive. */
const GOODBYE_MS = 1000;

/** Says goodbye, and ends the connection, at the latest when the goodbye had its time. */
export async function closeConnection(client: pg.Client): Promise<void> {
  const late = setTimeout(() => cutConnection(client), GOODBYE_MS);
  await client.end();
  clearTimeout(late);
}

/** Ends a connection at once, without a word to the server: on a dead network none arrives. Its queries are rejected. */
export function cutConnection(client: pg.Client, reason?: Error): void {
  client.connection.stream.destroy(reason);
}
