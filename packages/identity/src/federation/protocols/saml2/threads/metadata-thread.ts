/** The thread that reads one piece of metadata, or one aggregate as it comes, and ends. First it reports the file that shows its processor time. */
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";

import { limitHeapGrowth } from "../../../../platform/heap-growth.js";
import type { ProviderMetadata } from "../metadata/provider-metadata.js";
import type { AggregateProviders } from "../metadata/aggregate-reader.js";
import {
  samlReader,
  toOutcome,
  type AggregateWork,
  type MetadataTask,
  type Outcome,
} from "../saml-reader.js";
import { threadTimeMs } from "./thread-time.js";

export type ThreadMessage =
  | {
      /** Shows the thread's processor time; `undefined` where the system has no such file. */
      readonly statFile: string | undefined;
      /** Processor time of the thread's start. */
      readonly startMs: number;
    }
  /** It has read what it got of an aggregate. */
  | { readonly wantsChunk: true }
  | { readonly outcome: Outcome<ProviderMetadata | AggregateProviders> };

/** On a busy machine, shorter work runs first. @see nice(1) */
const NICE = 10;

function send(message: ThreadMessage): void {
  // The rule is for windows of browsers.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message);
}

limitHeapGrowth();

/** On Linux 0 is this thread, elsewhere the whole process. */
const isLinux = process.platform === "linux";
if (isLinux) setPriority(0, NICE);
const statFile = isLinux ? `/proc/${readlinkSync("/proc/thread-self")}/stat` : undefined;
send({ statFile, startMs: statFile === undefined ? 0 : threadTimeMs(statFile) });

/** What the process sends, one after the other; `null` behind the last. */
async function* receivedChunks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const received = once(parentPort as MessagePort, "message");
    send({ wantsChunk: true });
    const [chunk] = (await received) as [Uint8Array | null];
    if (chunk === null) return;
    yield chunk;
  }
}

const task = workerData as MetadataTask | AggregateWork;
send({
  outcome: await toOutcome<ProviderMetadata | AggregateProviders>(() =>
    "entityIds" in task ? samlReader.readAggregate(task, receivedChunks()) : samlReader.readMetadata(task),
  ),
});
