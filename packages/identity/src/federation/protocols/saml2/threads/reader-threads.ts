/**
 * Reads SAML in threads: a flood of messages, or a message crafted to be slow, delays no other request.
 *
 * The threads start with the first SAML login, and end when idle for a minute.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import type { Piscina } from "piscina";

import { createBoundedQueue } from "../../../../platform/concurrency/bounded-queue.js";
import { traced } from "../../../../platform/tracing/tracing.js";
import { AssertionRefusedError } from "../../../federation-errors.js";
import type { AggregateProviders } from "../metadata/aggregate-reader.js";
import type { AggregateWork, Outcome, SamlReader, MetadataTask } from "../saml-reader.js";
import type { ReaderTask } from "./reader-thread.js";
import { Worker } from "node:worker_threads";
import type { ProviderMetadata } from "../metadata/provider-metadata.js";
import type { ThreadMessage } from "./metadata-thread.js";
import { threadTimeMs } from "./thread-time.js";

/** Next to this file, and next to the bundle that includes this file. */
const THREAD = new URL("./reader-thread.js", import.meta.url);
/** A message takes some 5 ms. */
const MAX_MS = 5000;
const MAX_WAITING = 256;
const IDLE_MS = 60_000;
/** On a busy machine, shorter work runs first. @see nice(1) */
const NICE = 10;
const MAX_THREAD_MEMORY_MB = 128;
/** The garbage of a few messages: with more, it is collected late, and the process grows. */
const YOUNG_MEMORY_MB = 4;

export interface ReaderThreads extends SamlReader {
  /** Terminates the threads and their work. */
  close(): Promise<void>;
}

export interface ReaderThreadsOptions {
  /** Time per message. */
  readonly maxMs?: number;
  /** Processor time per piece of metadata. */
  readonly maxMetadataCpuMs?: number;
}

export function createReaderThreads({
  maxMs = MAX_MS,
  maxMetadataCpuMs,
}: ReaderThreadsOptions = {}): ReaderThreads {
  // One core stays free for other requests.
  const concurrency = Math.max(1, availableParallelism() - 1);
  const queue = createBoundedQueue({ concurrency, maxWaiting: MAX_WAITING });
  let pool: Promise<Piscina> | undefined;

  const metadata = createMetadataThreads(maxMetadataCpuMs);

  async function run<Result>(name: keyof SamlReader, task: unknown): Promise<Result> {
    pool ??= startPool(concurrency);
    const threads = await pool;
    return resultOf(await queue.run(() => inThread<Result>(threads, { name, task }, maxMs)));
  }

  return {
    readResponse: (task) => run("readResponse", task),
    readLogoutIssuer: (message) => run("readLogoutIssuer", message),
    readLogout: (task) => run("readLogout", task),
    readMetadata: async (task) => resultOf(await metadata.read(task)),
    readAggregate: async (task, chunks) => resultOf(await metadata.readAggregate(task, chunks)),
    async close() {
      await Promise.all([metadata.close(), pool?.then((threads) => threads.destroy())]);
    },
  };
}

function resultOf<Result>(outcome: Outcome<Result>): Result {
  if ("refusal" in outcome) throw new AssertionRefusedError(outcome.refusal, { details: outcome.details });
  return outcome.result;
}

/** Loaded by the first SAML login. */
async function startPool(maxThreads: number): Promise<Piscina> {
  const { Piscina: Pool } = await import("piscina");
  return new Pool({
    filename: fileURLToPath(THREAD),
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    recordTiming: false,
    niceIncrement: NICE,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB,
      maxYoungGenerationSizeMb: YOUNG_MEMORY_MB,
    },
  });
}

/** A thread that exceeds a limit of time or memory is terminated; the next message gets another one. */
async function inThread<Result>(threads: Piscina, work: ReaderTask, maxMs: number): Promise<Outcome<Result>> {
  try {
    const signal = AbortSignal.timeout(maxMs);
    return (await traced("saml", "read", () =>
      threads.run(work, { name: "read", signal }),
    )) as Outcome<Result>;
  } catch (error) {
    const reason = `reading it was given up: ${error instanceof Error ? error.message : "unknown error"}`;
    return { refusal: { step: "message", reason } };
  }
}

/** Metadata has threads of its own, one per piece: slow metadata of one provider does not delay logins of others. */
const METADATA_THREAD = new URL("./metadata-thread.js", import.meta.url);
/** Without the thread's start. The slowest metadata within the size limits takes 0.4 s, usual metadata a few milliseconds. */
const MAX_CPU_MS = 1000;
/** A signed document may take more: its digest, which is computed only for a trusted signer, takes 1.2 s within the size limits. */
const SIGNED_FACTOR = 4;
/** Elapsed time, however busy the machine is. */
const MAX_METADATA_MS = 30_000;
/** An aggregate of 60 MB takes some 3 s of processor time, and comes as fast as the network has it. */
const AGGREGATE = { maxCpuMs: 120_000, maxMs: 300_000 };
/** Per queue. */
const MAX_WAITING_METADATA = 64;
const WATCH_MS = 50;

interface MetadataThreads {
  /** @throws {BusyError} The queue is full. */
  read(task: MetadataTask): Promise<Outcome<ProviderMetadata>>;
  /** @throws {BusyError} And what reading the chunks throws. */
  readAggregate(task: AggregateWork, chunks: AsyncIterable<Uint8Array>): Promise<Outcome<AggregateProviders>>;
  /** Terminates the threads and their work. */
  close(): Promise<void>;
}

/** @param maxCpuMs Processor time per piece of metadata without signers; four times as much with some: a busy machine rejects no valid metadata. */
function createMetadataThreads(maxCpuMs = MAX_CPU_MS): MetadataThreads {
  const oneByOne = { concurrency: 1, maxWaiting: MAX_WAITING_METADATA };
  const first = createBoundedQueue(oneByOne);
  // Retries wait for retries only.
  const retries = createBoundedQueue(oneByOne);
  // They take seconds: nothing else waits for them.
  const aggregates = createBoundedQueue(oneByOne);
  const threads = new Set<Worker>();

  async function inOwnThread<Result>(
    task: MetadataTask | AggregateWork,
    limits: ThreadLimits,
    chunks?: AsyncIterable<Uint8Array>,
  ): Promise<Outcome<Result>> {
    const worker = new Worker(METADATA_THREAD, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB, maxYoungGenerationSizeMb: 4 },
    });
    threads.add(worker);
    try {
      return await outcomeOf<Result>(worker, limits, chunks?.[Symbol.asyncIterator]());
    } finally {
      threads.delete(worker);
      await worker.terminate();
    }
  }

  return {
    read: (task) => {
      const cpuMs = task.trust === undefined ? maxCpuMs : maxCpuMs * SIGNED_FACTOR;
      const limits = { maxCpuMs: cpuMs, maxMs: MAX_METADATA_MS };
      return (task.isRetry ? retries : first).run(() => inOwnThread(task, limits));
    },
    readAggregate: (task, chunks) => aggregates.run(() => inOwnThread(task, AGGREGATE, chunks)),
    async close() {
      await Promise.all(Array.from(threads, (worker) => worker.terminate()));
    },
  };
}

interface ThreadLimits {
  /** Of the processor. */
  readonly maxCpuMs: number;
  /** On the clock, however busy the machine is. */
  readonly maxMs: number;
}

/** The thread's outcome, or a rejection if it exceeds a limit of time or memory. */
function outcomeOf<Result>(
  worker: Worker,
  { maxCpuMs, maxMs }: ThreadLimits,
  chunks?: AsyncIterator<Uint8Array>,
): Promise<Outcome<Result>> {
  let usedMs: (() => number) | undefined;
  const start = performance.now();
  return new Promise<Outcome<Result>>((resolve, reject) => {
    const watch = setInterval(() => {
      const passedMs = performance.now() - start;
      if (usedMs !== undefined && usedMs() > maxCpuMs)
        giveUp(`it took more than ${maxCpuMs} ms of processor time`);
      else if (passedMs > maxMs) giveUp(`it took more than ${maxMs} ms`);
    }, WATCH_MS);
    const end = () => {
      clearInterval(watch);
      // Closes the connection, where the rest is not wanted.
      void chunks?.return?.();
    };
    const settle = (outcome: Outcome<Result>) => {
      end();
      resolve(outcome);
    };
    const sendChunk = async () => {
      const next = await chunks?.next();
      // The rule is for windows of browsers.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      worker.postMessage(next === undefined || next.done === true ? null : next.value);
    };
    const giveUp = (why: string) =>
      settle({ refusal: { step: "metadata", reason: `reading it was given up: ${why}` } });
    worker.on("message", (message: ThreadMessage) => {
      if ("outcome" in message) return settle(message.outcome as Outcome<Result>);
      if ("wantsChunk" in message)
        return void sendChunk().catch((error: unknown) => {
          end();
          reject(error);
        });
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
