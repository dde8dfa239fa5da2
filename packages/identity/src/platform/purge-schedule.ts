/** Deletes what has expired in the background: a batch at a time, with pauses in which requests are answered. */
import { setTimeout as delay } from "node:timers/promises";

import type { FastifyBaseLogger } from "fastify";

import { messageOf } from "./errors.js";

export interface PurgeTask {
  /** What is deleted, for the log. */
  readonly name: string;
  /** Deletes some of it: on SQLite, in a few milliseconds. @returns Whether there may be more. */
  readonly purge: () => Promise<boolean>;
}

export interface PurgeOptions {
  readonly log: Pick<FastifyBaseLogger, "info" | "error">;
  /** Whether to end between two batches. */
  readonly isStopped?: () => boolean;
}

const INTERVAL_MS = 60_000;
/** At least; otherwise a pause takes as long as the batch before it. */
const MIN_PAUSE_MS = 2;
/** Batches for which a line is logged. */
const LOGGED_BATCHES = 1000;

/** Purges about once a minute, not in all processes at the same time. @returns A function that stops it after the current batch. */
export function purgeOnSchedule(
  tasks: readonly PurgeTask[],
  { log }: Pick<PurgeOptions, "log">,
): () => Promise<void> {
  let isStopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  const schedule = () => {
    timer = setTimeout(
      () => {
        running = purgeAll(tasks, { log, isStopped: () => isStopped });
        void running.then(() => !isStopped && schedule());
      },
      INTERVAL_MS * (0.5 + Math.random()),
    ).unref();
  };
  schedule();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}

/** Purges until nothing is left. Never rejects: the next minute retries. */
export async function purgeAll(
  tasks: readonly PurgeTask[],
  { log, isStopped = () => false }: PurgeOptions,
): Promise<void> {
  for (const { name, purge } of tasks) {
    try {
      for (let hasMore = true, batches = 0; hasMore && !isStopped();) {
        const startedAt = performance.now();
        hasMore = await purge();
        await delay(Math.max(MIN_PAUSE_MS, performance.now() - startedAt));
        if (hasMore && ++batches % LOGGED_BATCHES === 0) log.info({ purge: name, batches }, "purging");
      }
    } catch (error) {
      log.error({ err: error, purge: name }, `not purged: ${messageOf(error)}`);
    }
  }
}
