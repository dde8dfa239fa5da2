/** The thread that reads one piece of metadata, and ends. First it reports the file that shows its processor time. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";

import { limitHeapGrowth } from "../../../../platform/heap-growth.js";
import type { ProviderMetadata } from "../metadata/provider-metadata.js";
import { samlReader, toOutcome, type MetadataTask, type Outcome } from "../saml-reader.js";
import { threadTimeMs } from "./thread-time.js";

export type ThreadMessage =
  | {
      /** Shows the thread's processor time; `undefined` where the system has no such file. */
      readonly statFile: string | undefined;
      /** Processor time of the thread's start. */
      readonly startMs: number;
    }
  | { readonly outcome: Outcome<ProviderMetadata> };

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
send({ outcome: await toOutcome(() => samlReader.readMetadata(workerData as MetadataTask)) });
