/**
 * Cache invalidation between processes that share a PostgreSQL database, by LISTEN/NOTIFY.
 *
 * A transaction notifies when it commits. Each process listens on a dedicated connection and polls it twice a second: PostgreSQL
 * delivers pending notifications before a query's response, so a response proves that everything announced before the query was
 * received. Caches are valid while that proof is fresh.
 */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import type pg from "pg";

import type { Queries, Topic } from "../database.js";
import { processIdOf } from "./postgres-connection.js";
import { closeConnection, type PostgresHosts } from "./postgres-hosts.js";
import { TOPICS } from "../revisions.js";

const CHANNEL = "hamkit_identity";
/** Poll interval, validity of a response, and response timeout. */
const POLL_MS = 500;
const FRESH_MS = 1000;
const ANSWER_MS = 2000;
/** Backoff before reconnecting: initial and maximum. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1000;

/** Notifies other processes when the transaction commits. */
export async function announce(transaction: Queries, topics: readonly Topic[]): Promise<void> {
  if (topics.length === 0) return;
  // Channels are per database, where several services may have a schema each.
  await sql`select pg_notify(${CHANNEL}, concat(current_schema(), ':', ${topics.join(",")}::text))`.execute(
    transaction.tables(),
  );
}

export interface NoticeEvents {
  /** These topics changed, or may have changed while not listening. */
  readonly onChange: (topics: readonly Topic[]) => void;
  /** Listening failed. Called once per outage; the listener keeps retrying. */
  readonly onLost: (error: Error) => void;
}

export interface NoticeListener {
  /** Whether all changes up to a second ago were received. */
  isUpToDate(): boolean;
  close(): Promise<void>;
}

/** Listens until closed, reconnecting as needed, always to the current host. */
export function listenForNotices(hosts: PostgresHosts, { onChange, onLost }: NoticeEvents): NoticeListener {
  const end = new AbortController();
  let provenAt = Number.NEGATIVE_INFINITY;
  let provenBy = hosts.generation();
  let failures = 0;

  async function listen(): Promise<void> {
    while (!end.signal.aborted) {
      try {
        await listenOnce(hosts, { signal: end.signal, onChange, onProof });
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

  const ended = listen();
  return {
    // A former primary may still respond, but does not see writes to the new one.
    isUpToDate: () => performance.now() - provenAt < FRESH_MS && provenBy === hosts.generation(),
    async close() {
      end.abort();
      await ended;
    },
  };
}

interface Listening extends Pick<NoticeEvents, "onChange"> {
  readonly signal: AbortSignal;
  /** Everything announced until this time was received, from the host of this generation. */
  readonly onProof: (at: number, generation: number) => void;
}

/** Listens on one connection until it fails. */
async function listenOnce(hosts: PostgresHosts, { signal, onChange, onProof }: Listening): Promise<void> {
  const { client, generation } = await hosts.open({ application_name: "hamkit-identity-listener" });
  const broken = new AbortController();
  const giveUp = () => broken.abort();
  client.on("error", giveUp).on("end", giveUp);
  // Closing may have started while the connection was opened.
  const over = AbortSignal.any([signal, broken.signal]);
  try {
    let schema: string | null = null;
    client.on("notification", ({ payload = "" }) => onChange(topicsIn(payload, schema)));
    await inTime(client.query(`listen ${CHANNEL}`));
    while (!over.aborted && generation === hosts.generation()) {
      const askedAt = performance.now();
      const isFirst = schema === null;
      schema = await ask(client);
      // Covers changes before LISTEN, and notifications before the schema was known.
      if (isFirst) onChange(TOPICS);
      onProof(askedAt, generation);
      await pause(POLL_MS, over);
    }
  } finally {
    await closeConnection(client);
  }
  if (!signal.aborted && generation === hosts.generation())
    throw new Error("the LISTEN connection was closed");
}

/** Polls, and returns the schema, whose changes concern this process. */
async function ask(client: pg.Client): Promise<string> {
  const { rows } = await inTime(
    client.query<Session>("select current_schema() as schema, pg_backend_pid() as pid"),
  );
  if (rows[0]?.pid !== processIdOf(client))
    throw new Error("LISTEN does not work through a transaction pooler: connect to PostgreSQL directly");
  return rows[0].schema ?? "";
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

interface Session {
  readonly schema: string | null;
  readonly pid: number;
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await pause(ANSWER_MS, signal);
  throw new Error(`no response from PostgreSQL within ${ANSWER_MS} ms`);
}

function topicsIn(payload: string, schema: string | null): readonly Topic[] {
  const separator = payload.lastIndexOf(":");
  if (payload.slice(0, separator) !== schema) return [];
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
