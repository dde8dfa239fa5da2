/** Connects to the first suitable host of several, and follows a failover. */
import { setTimeout as delay } from "node:timers/promises";

import type pg from "pg";

import { DatabaseUnavailable } from "../../database-errors.js";
import type { PostgresAddress } from "../postgres-address.js";
import { connectTo, cutConnection, openSession, type RequiredState } from "./postgres-connect.js";
import { searchHosts } from "./host-search.js";
import { HOST_PATIENCE_MS, SEARCH_PAUSE_MS, type SessionLimits } from "../postgres-limits.js";

export interface PostgresHosts {
  /**
   * Connects to the current host if it satisfies `target_session_attrs`, otherwise to the one that a search among all hosts finds.
   *
   * @throws {DatabaseUnavailable} No host does; the cause lists the reasons.
   */
  open(config: pg.ClientConfig, limits?: SessionLimits): Promise<HostConnection>;
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
    limits: SessionLimits | undefined,
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
    limits: SessionLimits | undefined,
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
