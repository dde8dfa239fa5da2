/**
 * Cache invalidation between processes that share a PostgreSQL database, by LISTEN/NOTIFY.
 *
 * A transaction notifies when it commits. Each process listens on a dedicated connection and polls it twice a second: PostgreSQL
 * delivers pending notifications before a query's response, so a response proves that everything announced before the query was
 * received. Caches are valid while that proof is fresh.
 *
 * A pooler loses notifications: behind one, a poll asks instead whether any transaction has written since the poll before.
 */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import type pg from "pg";

import { TOPICS, type Queries, type Topic } from "../database.js";
import { closeConnection } from "./hosts/postgres-connect.js";
import type { PostgresHosts } from "./hosts/postgres-hosts.js";

const CHANNEL = "hamkit_identity";
/** Poll interval, validity of a response, and response timeout. */
const POLL_MS = 500;
const FRESH_MS = 1000;
const ANSWER_MS = 2000;
/** Backoff before reconnecting: initial and maximum. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1000;

/** Notifies other processes when the transaction commits, also if there are no topics. */
export async function announce(transaction: Queries, topics: readonly Topic[]): Promise<void> {
  // Channels are per database, where several services may have a schema each.
  await sql`select pg_notify(${CHANNEL}, concat(current_schema(), ':', ${topics.join(",")}::text))`.execute(
    transaction.tables(),
  );
}

export interface NoticeEvents {
  /** These topics changed, or may have changed while not listening. Without topics something that is not cached changed. */
  readonly onChange: (topics: readonly Topic[]) => void;
  /** A pooler is in between: changes are polled for. Called once. */
  readonly onPooler: () => void;
  /** Listening failed. Called once per outage; the listener keeps retrying. */
  readonly onLost: (error: Error) => void;
}

export interface NoticeListener {
  /** Whether all changes up to a second ago were received. */
  isUpToDate(): boolean;
  /** Whether changes are received when they are committed, rather than polled for. */
  hearsNotices(): boolean;
  close(): Promise<void>;
}

/** Listens until closed, reconnecting as needed, always to the current host. */
export function listenForNotices(
  hosts: PostgresHosts,
  { onChange, onLost, onPooler }: NoticeEvents,
): NoticeListener {
  const end = new AbortController();
  let provenAt = Number.NEGATIVE_INFINITY;
  let provenBy = hosts.generation();
  let failures = 0;
  let isPooled = false;

  async function listen(): Promise<void> {
    while (!end.signal.aborted) {
      try {
        await listenOnce(hosts, { signal: end.signal, onChange, onProof, onPooler: noteKind });
      } catch (error) {
        if (failures++ === 0 && !end.signal.aborted) onLost(error as Error);
      }
      provenAt = Number.NEGATIVE_INFINITY;
      await pause(backoffMs(failures), end.signal);
    }
  }

  function onProof(at: number, generation: number): void {
    provenAt = at;
    provenBy = generation;
    failures = 0;
  }

  function noteKind(): void {
    if (!isPooled) onPooler();
    isPooled = true;
  }

  const ended = listen();
  // A former primary may still respond, but does not see writes to the new one.
  const isUpToDate = () => performance.now() - provenAt < FRESH_MS && provenBy === hosts.generation();
  return {
    isUpToDate,
    hearsNotices: () => isUpToDate() && !isPooled,
    async close() {
      end.abort();
      await ended;
    },
  };
}

interface Listening extends Pick<NoticeEvents, "onChange" | "onPooler"> {
  readonly signal: AbortSignal;
  /** Everything announced until this time was received, from the host of this generation. */
  readonly onProof: (at: number, generation: number) => void;
}

/** Listens on one connection until it fails. */
async function listenOnce(
  hosts: PostgresHosts,
  { signal, onChange, onProof, onPooler }: Listening,
): Promise<void> {
  const { client, generation, isPooled } = await hosts.open({ application_name: "hamkit-identity-listener" });
  const broken = new AbortController();
  const giveUp = () => broken.abort();
  client.on("error", giveUp).on("end", giveUp);
  // Closing may have started while the connection was opened.
  const over = AbortSignal.any([signal, broken.signal]);
  try {
    let last: PollResult | undefined;
    client.on("notification", ({ payload = "" }) => {
      const topics = topicsIn(payload, last?.schema);
      if (topics !== undefined) onChange(topics);
    });
    if (isPooled) onPooler();
    else await inTime(client.query(`listen ${CHANNEL}`));
    while (!over.aborted && generation === hosts.generation()) {
      const askedAt = performance.now();
      const result = await poll(client);
      // The first poll covers changes before LISTEN, and notifications before the schema was known.
      if (last === undefined || (isPooled && result.state !== last.state)) onChange(TOPICS);
      last = result;
      onProof(askedAt, generation);
      await pause(POLL_MS, over);
    }
  } finally {
    await closeConnection(client);
  }
  if (!signal.aborted && generation === hosts.generation())
    throw new Error("the LISTEN connection was closed");
}

interface PollResult {
  readonly schema: string;
  /** Changes with each commit that has written anything. */
  readonly state: string;
  readonly isStandby: boolean;
}

/**
 * The snapshot changes with each transaction that has written, in whatever database of the server, since a transaction id is used
 * once; only a promotion can repeat those of lost transactions, and changes the timeline.
 *
 * @throws The server is a standby, which would prove nothing.
 */
async function poll(client: pg.Client): Promise<PollResult> {
  const { rows } = await inTime(
    client.query<PollResult>(
      `select coalesce(current_schema(), '') as schema, pg_is_in_recovery() as "isStandby", case when not pg_is_in_recovery()
        then concat(pg_current_snapshot(), '@', left(pg_walfile_name(pg_current_wal_lsn()), 8)) end as state`,
    ),
  );
  const [result] = rows;
  if (result === undefined || result.isStandby) throw new Error("the server is a standby");
  return result;
}

async function inTime<Result>(answer: Promise<Result>): Promise<Result> {
  const late = new AbortController();
  try {
    return await Promise.race([answer, tooLate(late.signal)]);
  } finally {
    late.abort();
    answer.catch(() => {});
  }
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await pause(ANSWER_MS, signal);
  throw new Error(`no response from PostgreSQL within ${ANSWER_MS} ms`);
}

/** @returns `undefined` for a notification of another schema. */
function topicsIn(payload: string, schema: string | undefined): readonly Topic[] | undefined {
  const separator = payload.lastIndexOf(":");
  if (payload.slice(0, separator) !== schema) return undefined;
  const named = payload.slice(separator + 1).split(",");
  return TOPICS.filter((topic) => named.includes(topic));
}

/** Exponential backoff with jitter, so that replicas don't reconnect at the same time. */
function backoffMs(failures: number): number {
  return Math.min(MIN_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
}

/** Waits, unless aborted. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
}
