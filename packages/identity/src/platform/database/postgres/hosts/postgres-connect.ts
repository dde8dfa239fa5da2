/** Opens and closes single connections to a host: TLS, channel binding, session settings. */
import pg from "pg";

import { DatabaseUnavailable } from "../../database-errors.js";
import type { TargetSession } from "../postgres-address.js";
import { KEEPALIVE_MS, SERVER_SETTINGS, type SessionTimeouts } from "../connection-settings.js";
import { PLAIN, readTlsConfig, type PostgresTls } from "./postgres-tls.js";

/** Required state of a server; `standby` for reads alone. */
export type RequiredState = TargetSession | "standby";

export interface ConnectOptions {
  readonly tls: PostgresTls;
  readonly config: pg.ClientConfig;
  /** For TCP, TLS and login together. */
  readonly timeoutMs: number;
}

/**
 * Connects to one host. `error` events of the connection are ignored unless handled.
 *
 * @throws {DatabaseUnavailable} A file of TLS can't be read, the server does not respond, or is not trusted.
 * @throws {pg.DatabaseError} The server rejects the connection.
 */
export async function connectTo(url: string, options: ConnectOptions): Promise<pg.Client> {
  const encryption = await readTlsConfig(options.tls);
  try {
    return await connectOnce(url, { ...options, encryption }).catch((error: unknown) => {
      if (options.tls.mode !== "prefer" || !isWithoutTls(error)) throw error;
      return connectOnce(url, { ...options, encryption: PLAIN });
    });
  } catch (error) {
    if (error instanceof pg.DatabaseError) throw error;
    throw new DatabaseUnavailable({ cause: error });
  }
}

async function connectOnce(
  url: string,
  { tls, config, timeoutMs, encryption }: ConnectOptions & { readonly encryption: typeof PLAIN },
): Promise<pg.Client> {
  const client = new pg.Client({
    ...config,
    ...encryption,
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  });
  // Without a listener an `error` event ends the process. Users of the connection notice at the next query.
  client.on("error", () => {});
  const refusal = tls.channelBinding === "require" ? requireChannelBinding(client) : () => undefined;
  const late = setTimeout(() => cutConnection(client, timeoutError(client, timeoutMs)), timeoutMs);
  try {
    await client.connect();
    const refused = refusal();
    if (refused === undefined) return client;
    throw refused;
  } catch (error) {
    cutConnection(client);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** The message of `pg`. */
function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message === "The server does not support SSL connections";
}

function timeoutError({ host, port }: pg.Client, timeoutMs: number): Error {
  return Object.assign(new Error(`connect ${host}:${port}: no response within ${timeoutMs} ms`), {
    code: "ETIMEDOUT",
  });
}

/**
 * Closes the connection unless the server authenticates by SCRAM-SHA-256-PLUS: before a password is sent.
 *
 * @returns Why it was closed, for a server that wants no password at all: then it may seem open for a moment.
 */
function requireChannelBinding(client: pg.Client): () => Error | undefined {
  const { connection } = client;
  let isBound = false;
  let refused: Error | undefined;
  const refuse = () => {
    refused = new Error(`channel_binding=require: ${client.host} does not offer SCRAM-SHA-256-PLUS`);
    cutConnection(client, refused);
  };
  connection.prependListener("authenticationSASL", ({ mechanisms }: { mechanisms: readonly string[] }) => {
    isBound = mechanisms.includes("SCRAM-SHA-256-PLUS");
    if (!isBound) refuse();
  });
  for (const insecure of ["authenticationCleartextPassword", "authenticationMD5Password"])
    connection.prependListener(insecure, refuse);
  connection.prependListener("authenticationOk", () => {
    if (!isBound) refuse();
  });
  return () => refused;
}

/** The state of a session's server. */
export interface SessionState {
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /** Grows with each promotion: of two primaries the one with the higher timeline is current. `null` for a standby. */
  readonly timeline: number | null;
  /** Whether a pooler is in between. It assigns its own process ids, so settings of the session may reach other clients. */
  readonly isPooled: boolean;
}

/**
 * Sets the limits of the session, and checks the state of the server. Behind a pooler nothing is set: each transaction sets its own
 * limits.
 *
 * @throws {DatabaseUnavailable} The server is not in the required state.
 */
export async function prepareSession(
  client: pg.Client,
  required: RequiredState,
  limits: SessionTimeouts = {},
): Promise<SessionState> {
  const settings = Object.entries({ ...SERVER_SETTINGS, ...limits }).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  const { rows } = await client.query<SessionState>(
    `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::bool as "isReadOnly",
      case when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
      pg_backend_pid() <> ${processIdOf(client)} as "isPooled",
      case when pg_backend_pid() = ${processIdOf(client)} then array[${settings.join(", ")}] end as settings`,
  );
  const facts = rows[0] ?? { isStandby: false, isReadOnly: false, timeline: null, isPooled: false };
  const fault = faultOf(facts, required);
  if (fault === undefined) return facts;
  throw new DatabaseUnavailable({ cause: new Error(`${client.host}:${client.port} ${fault}`) });
}

function faultOf({ isStandby, isReadOnly }: SessionState, required: RequiredState): string | undefined {
  if (required === "standby") return isStandby ? undefined : "is not a standby";
  if (required === "any") return undefined;
  if (isStandby) return "is a standby";
  return required === "read-write" && isReadOnly ? "is read-only" : undefined;
}

export interface SessionOptions extends ConnectOptions {
  readonly required: RequiredState;
  readonly limits?: SessionTimeouts | undefined;
}

/** Connects to a host in the required state. The timeout includes the setup of the session. */
export async function openSession(
  url: string,
  { required, limits, ...options }: SessionOptions,
): Promise<{ readonly client: pg.Client; readonly facts: SessionState }> {
  const { timeoutMs } = options;
  const startedAt = performance.now();
  const client = await connectTo(url, options);
  const leftMs = Math.max(1, startedAt + timeoutMs - performance.now());
  const late = setTimeout(() => cutConnection(client, timeoutError(client, timeoutMs)), leftMs);
  try {
    return { client, facts: await prepareSession(client, required, limits) };
  } catch (error) {
    cutConnection(client);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

/** Members of `pg.Client` without type declarations. */
interface ClientState {
  readonly processID: number | null;
}

/** The backend process id; a pooler assigns its own. */
export function processIdOf(client: pg.Client): number {
  return (client as unknown as ClientState).processID ?? 0;
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
