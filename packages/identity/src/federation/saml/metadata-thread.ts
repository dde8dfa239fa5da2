/** A thread that reads one piece of metadata, and ends. It first tells by which file its processor time can be watched. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";

import { settled, type Outcome } from "./reader-thread.js";
import { samlReader, type MetadataTask } from "./saml-reader.js";
import type { ProviderDescription } from "./provider-description.js";

export type ThreadMessage =
  { readonly statFile: string } | { readonly outcome: Outcome<ProviderDescription> };

/** Where processors are short, whatever takes less time goes first. @see nice(1) */
const LESS_URGENT = 10;

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

if (process.platform === "linux") {
  // There 0 is this thread, and elsewhere the whole process.
  setPriority(0, LESS_URGENT);
  tell({ statFile: `/proc/${readlinkSync("/proc/thread-self")}/stat` });
}
tell({ outcome: await settled(() => samlReader.readMetadata(workerData as MetadataTask)) });
