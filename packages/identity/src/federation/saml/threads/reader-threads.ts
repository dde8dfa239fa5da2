/**
 * Reads SAML in threads: a flood of messages, or a message crafted to be slow, delays no other request.
 *
 * The threads start with the first SAML login, and end when idle for a minute.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import type { Piscina } from "piscina";

import { createBoundedQueue } from "../../../platform/concurrency/bounded-queue.js";
import { AssertionRefusedError } from "../../federation-errors.js";
import type { Outcome, SamlReader } from "../saml-reader.js";
import { createMetadataThreads } from "./metadata-threads.js";
import type * as ReaderThread from "./reader-thread.js";

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

  const metadata = createMetadataThreads({ maxCpuMs: maxMetadataCpuMs });

  async function run<Result>(name: keyof typeof ReaderThread, task: unknown): Promise<Result> {
    pool ??= startPool(concurrency);
    const threads = await pool;
    return resultOf(await queue.run(() => inThread<Result>(threads, { maxMs, name, task })));
  }

  return {
    readResponse: (task) => run("readResponse", task),
    readLogoutIssuer: (message) => run("readLogoutIssuer", message),
    readLogout: (task) => run("readLogout", task),
    readMetadata: async (task) => resultOf(await metadata.read(task)),
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
async function inThread<Result>(
  threads: Piscina,
  { maxMs, name, task }: { readonly maxMs: number; readonly name: string; readonly task: unknown },
): Promise<Outcome<Result>> {
  try {
    const signal = AbortSignal.timeout(maxMs);
    return (await threads.run(task, { name, signal })) as Outcome<Result>;
  } catch (error) {
    const reason = `reading it was given up: ${error instanceof Error ? error.message : "unknown error"}`;
    return { refusal: { step: "message", reason } };
  }
}
