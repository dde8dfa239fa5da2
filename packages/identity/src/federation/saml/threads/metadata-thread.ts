/** A thread that reads one piece of metadata, and ends. It first tells by which file its processor time can be watched. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";

import { settled, type Outcome } from "./reader-thread.js";
import { samlReader, type MetadataTask } from "../saml-reader.js";
import type { ProviderDescription } from "../metadata/provider-metadata.js";
import { threadTimeMs } from "./thread-time.js";

export type ThreadMessage =
  | {
      /** By which its processor time is watched; `undefined` where the system has none. */
      readonly statFile: string | undefined;
      /** What its start has taken of that. */
      readonly startMs: number;
    }
  | { readonly outcome: Outcome<ProviderDescription> };

/** Where processors are short, whatever takes less time goes first. @see nice(1) */
const LESS_URGENT = 10;

function tell(message: ThreadMessage): void {
  // The rule is for windows of browsers.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message);
}

/** There 0 is this thread, and elsewhere the whole process. */
const isLinux = process.platform === "linux";
if (isLinux) setPriority(0, LESS_URGENT);
const statFile = isLinux ? `/proc/${readlinkSync("/proc/thread-self")}/stat` : undefined;
tell({ statFile, startMs: statFile === undefined ? 0 : threadTimeMs(statFile) });
tell({ outcome: await settled(() => samlReader.readMetadata(workerData as MetadataTask)) });
