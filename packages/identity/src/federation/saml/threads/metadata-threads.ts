/**
 * Metadata read in threads of its own, one for each piece, apart from those that read logins: however long the metadata of one
 * provider takes, the logins of others go on.
 *
 * What counts is processor time, so that a machine with much else to do doesn't have good metadata refused.
 */
import { Worker } from "node:worker_threads";

import { createBoundedQueue } from "../../../platform/concurrency/bounded-queue.js";
import type { ThreadMessage } from "./metadata-thread.js";
import type { ProviderDescription } from "../metadata/provider-metadata.js";
import type { Outcome } from "./reader-thread.js";
import type { MetadataTask } from "../saml-reader.js";
import { threadTimeMs } from "./thread-time.js";

/** By this name it lies beside this file, and beside the bundle that this file becomes a part of. */
const THREAD = new URL("./metadata-thread.js", import.meta.url);
/** Without the thread's start. The slowest metadata within the limits of size takes 0.4 s, the usual one a few milliseconds. */
const MAX_CPU_MS = 1000;
/** However busy the machine is. */
const MAX_MS = 30_000;
/** What waits in each lane. */
const MAX_WAITING = 64;
const MAX_THREAD_MEMORY_MB = 128;
const WATCH_MS = 50;

export interface MetadataThreadsOptions {
  /** How much processor time one piece of metadata may take. */
  readonly maxCpuMs?: number | undefined;
}

export interface MetadataThreads {
  /** @throws {BusyError} Too many wait. */
  read(task: MetadataTask): Promise<Outcome<ProviderDescription>>;
  /** Ends the threads, and whatever they are at. */
  close(): Promise<void>;
}

export function createMetadataThreads({ maxCpuMs = MAX_CPU_MS }: MetadataThreadsOptions): MetadataThreads {
  const oneByOne = { concurrency: 1, maxWaiting: MAX_WAITING };
  const first = createBoundedQueue(oneByOne);
  // What has failed before waits for its like alone.
  const retries = createBoundedQueue(oneByOne);
  const threads = new Set<Worker>();

  async function inThread(task: MetadataTask): Promise<Outcome<ProviderDescription>> {
    const worker = new Worker(THREAD, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB },
    });
    threads.add(worker);
    try {
      return await outcomeOf(worker, maxCpuMs);
    } finally {
      threads.delete(worker);
      await worker.terminate();
    }
  }

  return {
    read: (task) => (task.isRetry ? retries : first).run(() => inThread(task)),
    async close() {
      await Promise.all(Array.from(threads, (worker) => worker.terminate()));
    },
  };
}

/** What the thread finds out, or that it took too long, or too much memory. */
function outcomeOf(worker: Worker, maxCpuMs: number): Promise<Outcome<ProviderDescription>> {
  let usedMs: (() => number) | undefined;
  const start = performance.now();
  return new Promise<Outcome<ProviderDescription>>((resolve) => {
    const watch = setInterval(() => {
      const passedMs = performance.now() - start;
      if (usedMs !== undefined && usedMs() > maxCpuMs)
        giveUp(`it took more than ${maxCpuMs} ms of processor time`);
      else if (passedMs > MAX_MS) giveUp(`it took more than ${MAX_MS} ms`);
    }, WATCH_MS);
    const settle = (outcome: Outcome<ProviderDescription>) => {
      clearInterval(watch);
      resolve(outcome);
    };
    const giveUp = (why: string) =>
      settle({ refusal: { step: "metadata", reason: `reading it was given up: ${why}` } });
    worker.on("message", (message: ThreadMessage) => {
      if ("outcome" in message) return settle(message.outcome);
      const begun = performance.now();
      const { statFile, startMs } = message;
      // Where the system does not tell what a thread has used, the time that passes counts for it.
      usedMs = () => (statFile === undefined ? performance.now() - begun : threadTimeMs(statFile) - startMs);
    });
    worker.on("error", (error) => giveUp(error.message));
    worker.on("exit", () => giveUp("its thread ended"));
  });
}
