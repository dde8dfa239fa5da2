/**
 * Reads metadata in threads, one per piece, apart from the threads of logins: slow metadata of one provider does not delay logins
 * of others.
 *
 * The limit is on processor time, so that a busy machine does not reject valid metadata.
 */
import { Worker } from "node:worker_threads";

import { createBoundedQueue } from "../../../platform/concurrency/bounded-queue.js";
import type { ProviderMetadata } from "../metadata/provider-metadata.js";
import type { MetadataTask, Outcome } from "../saml-reader.js";
import type { ThreadMessage } from "./metadata-thread.js";
import { threadTimeMs } from "./thread-time.js";

/** Next to this file, and next to the bundle that includes this file. */
const THREAD = new URL("./metadata-thread.js", import.meta.url);
/** Without the thread's start. The slowest metadata within the size limits takes 0.4 s, usual metadata a few milliseconds. */
const MAX_CPU_MS = 1000;
/** A signed document may take more: its digest, which is computed only for a trusted signer, takes 1.2 s within the size limits. */
const SIGNED_FACTOR = 4;
/** Elapsed time, however busy the machine is. */
const MAX_MS = 30_000;
/** Per queue. */
const MAX_WAITING = 64;
const MAX_THREAD_MEMORY_MB = 128;
const WATCH_MS = 50;

export interface MetadataThreadsOptions {
  /** Processor time per piece of metadata without signers; four times as much with some. */
  readonly maxCpuMs?: number | undefined;
}

export interface MetadataThreads {
  /** @throws {BusyError} The queue is full. */
  read(task: MetadataTask): Promise<Outcome<ProviderMetadata>>;
  /** Terminates the threads and their work. */
  close(): Promise<void>;
}

export function createMetadataThreads({ maxCpuMs = MAX_CPU_MS }: MetadataThreadsOptions): MetadataThreads {
  const oneByOne = { concurrency: 1, maxWaiting: MAX_WAITING };
  const first = createBoundedQueue(oneByOne);
  // Retries wait for retries only.
  const retries = createBoundedQueue(oneByOne);
  const threads = new Set<Worker>();

  async function inThread(task: MetadataTask): Promise<Outcome<ProviderMetadata>> {
    const worker = new Worker(THREAD, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB, maxYoungGenerationSizeMb: 4 },
    });
    threads.add(worker);
    try {
      return await outcomeOf(worker, task.trust === undefined ? maxCpuMs : maxCpuMs * SIGNED_FACTOR);
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

/** The thread's outcome, or a rejection if it exceeds a limit of time or memory. */
function outcomeOf(worker: Worker, maxCpuMs: number): Promise<Outcome<ProviderMetadata>> {
  let usedMs: (() => number) | undefined;
  const start = performance.now();
  return new Promise<Outcome<ProviderMetadata>>((resolve) => {
    const watch = setInterval(() => {
      const passedMs = performance.now() - start;
      if (usedMs !== undefined && usedMs() > maxCpuMs)
        giveUp(`it took more than ${maxCpuMs} ms of processor time`);
      else if (passedMs > MAX_MS) giveUp(`it took more than ${MAX_MS} ms`);
    }, WATCH_MS);
    const settle = (outcome: Outcome<ProviderMetadata>) => {
      clearInterval(watch);
      resolve(outcome);
    };
    const giveUp = (why: string) =>
      settle({ refusal: { step: "metadata", reason: `reading it was given up: ${why}` } });
    worker.on("message", (message: ThreadMessage) => {
      if ("outcome" in message) return settle(message.outcome);
      const startedAt = performance.now();
      const { statFile, startMs } = message;
      // Elapsed time, where the system does not show a thread's processor time.
      usedMs = () =>
        statFile === undefined ? performance.now() - startedAt : threadTimeMs(statFile) - startMs;
    });
    worker.on("error", (error) => giveUp(error.message));
    worker.on("exit", () => giveUp("its thread ended"));
  });
}
