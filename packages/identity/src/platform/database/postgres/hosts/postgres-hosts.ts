/** Connects to the first suitable host of several, and follows a failover. */
import { setTimeout as delay } from "node:timers/promises";

import type pg from "pg";

import { messageOf } from "../../../errors.js";
import { DatabaseUnavailable } from "../../database-errors.js";
import type { PostgresAddress } from "../postgres-address.js";
import {
  HOST_PATIENCE_MS,
  SEARCH_PAUSE_MS,
  SEARCH_GRACE_MS,
  type SessionTimeouts,
} from "../connection-settings.js";
import {
  connectTo,
  cutConnection,
  openSession,
  closeConnection,
  type RequiredState,
  type ConnectOptions,
} from "./postgres-connect.js";

export interface PostgresHosts {
  /**
   * Connects to the current host if it satisfies `target_session_attrs`, otherwise to the one that a search among all hosts finds.
   *
   * @throws {DatabaseUnavailable} No host does; the cause lists the reasons.
   */
  open(config: pg.ClientConfig, limits?: SessionTimeouts): Promise<HostConnection>;
  /** Connects to the current host, in any state. */
  openCurrent(config: pg.ClientConfig, timeoutMs: number): Promise<pg.Client>;
  /** Changes on failover: connections of other generations lead to a former host. */
  generation(): number;
}

/** A ready connection. Its `error` events are ignored unless handled. */
export interface HostConnection {
  readonly client: pg.Client;
  readonly generation: number;
  /** Whether a pooler is in between. */
  readonly isPooled: boolean;
}

export interface PostgresHostsOptions {
  readonly connectMs: number;
  /** The current host is another one. */
  readonly onFailover?: (() => void) | undefined;
}

/** An address for writes, or one of standbys. */
export type HostsAddress = Omit<PostgresAddress, "targetSession"> & { readonly targetSession: RequiredState };

export function createPostgresHosts(
  { urls, targetSession, tls, connectTimeoutMs }: HostsAddress,
  { connectMs, onFailover }: PostgresHostsOptions,
): PostgresHosts {
  const timeoutMs = connectTimeoutMs ?? connectMs;
  let current = 0;
  let generation = 0;
  let searching: Promise<void> | undefined;
  let lastFailure: { readonly error: Error; readonly at: number } | undefined;

  async function openAt(
    index: number,
    config: pg.ClientConfig,
    limits: SessionTimeouts | undefined,
  ): Promise<HostConnection> {
    const since = generation;
    const { client, facts } = await openSession(urls[index] ?? urls[0], {
      tls,
      config,
      limits,
      timeoutMs,
      required: targetSession,
    });
    if (since === generation) return { client, generation, isPooled: facts.isPooled };
    cutConnection(client);
    throw new DatabaseUnavailable({
      cause: new Error("PostgreSQL failed over while a connection was opened"),
    });
  }

  function recentFailure(): Error | undefined {
    const isRecent = lastFailure !== undefined && performance.now() - lastFailure.at < SEARCH_PAUSE_MS;
    return isRecent ? lastFailure?.error : undefined;
  }

  /** Moves to the host that is primary. All callers share one search. */
  function search(): Promise<void> {
    const failure = recentFailure();
    if (failure !== undefined) return Promise.reject(failure);
    searching ??= findPrimary().finally(() => {
      searching = undefined;
    });
    return searching;
  }

  async function findPrimary(): Promise<void> {
    try {
      // Repeated soon: a host may be promoted while a dead one is waited for.
      const index = await searchHosts(urls, {
        tls,
        timeoutMs: timeoutMs / 2,
        required: targetSession,
        current,
      });
      lastFailure = undefined;
      if (index === current) return;
      current = index;
      generation++;
      onFailover?.();
    } catch (error) {
      lastFailure = { error: error as Error, at: performance.now() };
      throw error;
    }
  }

  async function openOneOf(
    config: pg.ClientConfig,
    limits: SessionTimeouts | undefined,
  ): Promise<HostConnection> {
    const first = openAt(current, config, limits);
    const opened = await withPatience(first);
    if (opened !== undefined) return opened;
    const before = generation;
    try {
      await search();
    } catch (error) {
      // It must not hold a place in the pool while another host is promoted.
      first.then(({ client }) => cutConnection(client)).catch(() => {});
      throw error;
    }
    // The current host was only slow, or restarted.
    if (generation === before) return first.catch(() => openAt(current, config, limits));
    return openAt(current, config, limits);
  }

  return {
    open(config, limits) {
      if (urls.length === 1) return openAt(0, config, limits);
      const failure = recentFailure();
      return failure === undefined ? openOneOf(config, limits) : Promise.reject(failure);
    },
    openCurrent: (config, checkMs) =>
      connectTo(urls[current] ?? urls[0], { tls, config, timeoutMs: checkMs }),
    generation: () => generation,
  };
}

/** @returns `undefined` if it fails or takes too long. */
async function withPatience<Result>(work: Promise<Result>): Promise<Result | undefined> {
  const patience = new AbortController();
  try {
    return await Promise.race([
      work.catch(() => undefined),
      delay(HOST_PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
  } finally {
    patience.abort();
  }
}

export interface HostSearch extends Omit<ConnectOptions, "config"> {
  readonly required: RequiredState;
  /** The position of the host in use, preferred among equals. */
  readonly current: number;
}

interface Candidate {
  readonly index: number;
  readonly timeline: number;
}

/**
 * Asks all hosts at once.
 *
 * After a failover without fencing, two hosts may accept writes: the one with the higher timeline was promoted later, and is found,
 * if it responds no later than {@link SEARCH_GRACE_MS} after the other.
 *
 * @returns The position of the host in the required state.
 * @throws {DatabaseUnavailable} No host is; the cause lists the reasons.
 */
async function searchHosts(urls: readonly string[], options: HostSearch): Promise<number> {
  const candidates: Candidate[] = [];
  const asked = urls.map(async (url, index) => {
    candidates.push({ index, timeline: await timelineOf(url, options) });
  });
  try {
    await Promise.any(asked);
  } catch (error) {
    const reasons = (error as AggregateError).errors.map(reasonOf).join("; ");
    throw new DatabaseUnavailable({ cause: new Error(`no host is ${options.required}: ${reasons}`) });
  }
  await Promise.race([Promise.allSettled(asked), delay(SEARCH_GRACE_MS, undefined, { ref: false })]);
  return best(candidates, options.current);
}

/** The message of a {@link DatabaseUnavailable} is for clients. */
function reasonOf(error: unknown): string {
  return messageOf(error instanceof DatabaseUnavailable ? error.cause : error);
}

function best(candidates: readonly Candidate[], current: number): number {
  const latest = Math.max(...candidates.map(({ timeline }) => timeline));
  const suitable = candidates.filter(({ timeline }) => timeline === latest).map(({ index }) => index);
  return suitable.includes(current) ? current : Math.min(...suitable);
}

async function timelineOf(
  url: string,
  { tls, timeoutMs, required }: Omit<HostSearch, "current">,
): Promise<number> {
  const { client, facts } = await openSession(url, {
    tls,
    config: { application_name: "hamkit-identity-search" },
    timeoutMs,
    required,
  });
  void closeConnection(client);
  return facts.timeline ?? 0;
}
