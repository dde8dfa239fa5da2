/** Connects to the first suitable host of several, and follows a failover. */
import pg from "pg";

import { DatabaseUnavailable } from "../database-errors.js";
import type { PostgresAddress, TargetSession } from "./postgres-address.js";
import { CONNECT_MS, KEEPALIVE_MS, SERVER_SETTINGS } from "./postgres-limits.js";

export interface PostgresHosts {
  /**
   * Connects to the first host that satisfies `target_session_attrs`, starting with the current one.
   *
   * @throws {DatabaseUnavailable} No host does; the cause lists the reasons.
   */
  open(config: pg.ClientConfig): Promise<HostConnection>;
  /** Connects to the current host, in any state. */
  openCurrent(config: pg.ClientConfig, timeoutMs: number): Promise<pg.Client>;
  /** Changes on failover: connections of other generations lead to a former host. */
  generation(): number;
}

/** A ready connection. Its `error` events are ignored unless handled. */
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
  /** For TCP, TLS, login and session setup together. */
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
  // Without a listener an `error` event ends the process. Users of the connection notice at the next query.
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
  return Object.assign(new Error(`connect ${host}:${port}: no response within ${timeoutMs} ms`), {
    code: "ETIMEDOUT",
  });
}

interface SessionFacts {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/** Sets the server's keepalives, and checks `target_session_attrs`. */
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

const CLOSE_TIMEOUT_MS = 1000;

/** Closes a connection gracefully; after a timeout, the socket. */
export async function closeConnection(client: pg.Client): Promise<void> {
  const late = setTimeout(() => cutConnection(client), CLOSE_TIMEOUT_MS);
  await client.end();
  clearTimeout(late);
}

/** Destroys the socket, without a Terminate message. Pending queries reject. */
export function cutConnection(client: pg.Client, reason?: Error): void {
  client.connection.stream.destroy(reason);
}
