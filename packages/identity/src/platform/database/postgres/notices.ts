/**
 * Notices: how processes that share a PostgreSQL tell each other what has changed.
 *
 * A transaction leaves its notice when it commits. Each process listens on a connection of its own, and asks on it twice a
 * second: PostgreSQL sends what it has to tell before an answer, so an answer proves that everything that was announced before
 * the question has been heard. What is remembered can be used as long as that proof is fresh.
 */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import type pg from "pg";

import type { Queries, Topic } from "../database.js";
import { processIdOf } from "./postgres-connection.js";
import { closeConnection, type PostgresHosts } from "./postgres-hosts.js";
import { TOPICS } from "../revisions.js";

const CHANNEL = "hamkit_identity";
/** Time between two questions, how long an answer counts, and how long one is waited for. */
const ASK_MS = 500;
const FRESH_MS = 1000;
const ANSWER_MS = 2000;
/** The wait before another connection is made: at first, and at most. */
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 1000;

/** Has PostgreSQL tell the others when the transaction commits, and not if it doesn't. */
export async function announce(transaction: Queries, topics: readonly Topic[]): Promise<void> {
  if (topics.length === 0) return;
  // A channel belongs to the whole database, where several services may have a schema each.
  await sql`select pg_notify(${CHANNEL}, concat(current_schema(), ':', ${topics.join(",")}::text))`.execute(
    transaction.tables(),
  );
}

/** What a listener tells. */
export interface NoticeEvents {
  /** Something of these kinds was changed, or may have been while nobody listened. */
  readonly onChange: (topics: readonly Topic[]) => void;
  /** It can't listen any more, or not yet; told once until it can. It goes on trying. */
  readonly onLost: (error: Error) => void;
}

/** Who listens. */
export interface NoticeListener {
  /** Whether what others changed until a second ago has been heard. */
  isUpToDate(): boolean;
  close(): Promise<void>;
}

/** Listens until it is closed, on one connection after the other, always to the host that is followed. */
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
      await pause(waitMs(failures), end.signal);
    }
  }

  function onProof(at: number, generation: number): void {
    provenAt = at;
    provenBy = generation;
    failures = 0;
  }

  const ended = listen();
  return {
    // A host that was left may go on answering, and hears nothing of what is written to the other.
    isUpToDate: () => performance.now() - provenAt < FRESH_MS && provenBy === hosts.generation(),
    async close() {
      end.abort();
      await ended;
    },
  };
}

interface Listening extends Pick<NoticeEvents, "onChange"> {
  readonly signal: AbortSignal;
  /** Everything announced until this time was heard, from the host of this generation. */
  readonly onProof: (at: number, generation: number) => void;
}

/** Listens on one connection for as long as it holds. */
async function listenOnce(hosts: PostgresHosts, { signal, onChange, onProof }: Listening): Promise<void> {
  const { client, generation } = await hosts.open({ application_name: "hamkit-identity-listener" });
  const broken = new AbortController();
  const giveUp = () => broken.abort();
  client.on("error", giveUp).on("end", giveUp);
  // Closing may have begun while the connection was opened.
  const over = AbortSignal.any([signal, broken.signal]);
  try {
    let schema: string | null = null;
    client.on("notification", ({ payload = "" }) => onChange(topicsIn(payload, schema)));
    await inTime(client.query(`listen ${CHANNEL}`));
    while (!over.aborted && generation === hosts.generation()) {
      const askedAt = performance.now();
      const isFirst = schema === null;
      schema = await ask(client);
      // Changes from before it listened, and notices from before it knew whose they are.
      if (isFirst) onChange(TOPICS);
      onProof(askedAt, generation);
      await pause(ASK_MS, over);
    }
  } finally {
    await closeConnection(client);
  }
  if (!signal.aborted && generation === hosts.generation())
    throw new Error("the connection that hears of changes has ended");
}

/** Asks for any answer: for the schema, whose changes concern this process. */
async function ask(client: pg.Client): Promise<string> {
  const { rows } = await inTime(
    client.query<Session>("select current_schema() as schema, pg_backend_pid() as pid"),
  );
  if (rows[0]?.pid !== processIdOf(client))
    throw new Error("a pooler is between the service and PostgreSQL, and keeps its notices to itself");
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
  throw new Error(`PostgreSQL has not answered within ${ANSWER_MS} ms`);
}

function topicsIn(payload: string, schema: string | null): readonly Topic[] {
  const separator = payload.lastIndexOf(":");
  if (payload.slice(0, separator) !== schema) return [];
  const named = payload.slice(separator + 1).split(",");
  return TOPICS.filter((topic) => named.includes(topic));
}

/** Growing, and of random length, so that replicas don't come back all at once. */
function waitMs(failures: number): number {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** failures, LAST_WAIT_MS);
  return longest * (0.5 + Math.random() / 2);
}

/** Waits, or is told not to. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
}
