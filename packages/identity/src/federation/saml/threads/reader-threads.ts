/**
 * SAML read in threads of its own, so that a flood of messages, or one that was made to be slow, keeps nobody else waiting.
 *
 * Threads are there as long as somebody comes in by SAML, and a minute longer.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import type { Piscina } from "piscina";

import { createBoundedQueue } from "../../../platform/concurrency/bounded-queue.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { Outcome } from "./reader-thread.js";
import { createMetadataThreads } from "./metadata-threads.js";
import type { ResponseFindings, ResponseTask, SamlReader } from "../saml-reader.js";

/** By this name it lies beside this file, and beside the bundle that this file becomes a part of. */
const THREAD = new URL("./reader-thread.js", import.meta.url);
/** A message takes some 5 ms. Whoever makes one that takes so long gets no answer to it. */
const MAX_MS = 5000;
const WAITING_MESSAGES = 256;
const IDLE_MS = 60_000;
/** Where processors are short, whatever takes less time goes first. @see nice(1) */
const LESS_URGENT = 10;
const MAX_THREAD_MEMORY_MB = 128;
/** What a few messages leave behind: with more, garbage is collected late, and the process grows. */
const YOUNG_MEMORY_MB = 8;

export interface ReaderThreads extends SamlReader {
  /** Ends the threads, and whatever they are at. */
  close(): Promise<void>;
}

export interface ReaderThreadsOptions {
  /** How long a message may take. */
  readonly maxMs?: number;
  /** How much processor time metadata may take. */
  readonly maxMetadataCpuMs?: number;
}

export function createReaderThreads({
  maxMs = MAX_MS,
  maxMetadataCpuMs,
}: ReaderThreadsOptions = {}): ReaderThreads {
  // One core is left to everything else.
  const concurrency = Math.max(1, availableParallelism() - 1);
  const queue = createBoundedQueue({ concurrency, maxWaiting: WAITING_MESSAGES });
  let pool: Promise<Piscina> | undefined;

  const metadata = createMetadataThreads({ maxCpuMs: maxMetadataCpuMs });

  return {
    async readResponse(task) {
      pool ??= startPool(concurrency);
      const threads = await pool;
      return resultOf(await queue.run(() => inThread<ResponseFindings>(threads, { maxMs, task })));
    },
    readMetadata: async (task) => resultOf(await metadata.read(task)),
    async close() {
      await Promise.all([metadata.close(), pool?.then((threads) => threads.destroy())]);
    },
  };
}

function resultOf<Result>(outcome: Outcome<Result>): Result {
  if ("refusal" in outcome) throw new AssertionRefusedError(outcome.refusal);
  return outcome.result;
}

/** Not loaded before somebody comes in by SAML. */
async function startPool(maxThreads: number): Promise<Piscina> {
  const { Piscina: Pool } = await import("piscina");
  return new Pool({
    filename: fileURLToPath(THREAD),
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    recordTiming: false,
    niceIncrement: LESS_URGENT,
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_THREAD_MEMORY_MB,
      maxYoungGenerationSizeMb: YOUNG_MEMORY_MB,
    },
  });
}

/** A thread that takes too long, or too much memory, is ended; the next message gets another one. */
async function inThread<Result>(
  threads: Piscina,
  { maxMs, task }: { readonly maxMs: number; readonly task: ResponseTask },
): Promise<Outcome<Result>> {
  try {
    const signal = AbortSignal.timeout(maxMs);
    return (await threads.run(task, { name: "readResponse", signal })) as Outcome<Result>;
  } catch (error) {
    const reason = `reading it was given up: ${error instanceof Error ? error.message : "for no reason"}`;
    return { refusal: { step: "message", reason } };
  }
}
