/** The entry point: streams, signals, exit code and worker processes of the command line. */
import cluster from "node:cluster";

import type { ProgramIo } from "./commands/command-context.js";
import { limitHeapGrowth } from "./platform/heap-growth.js";
import { keepTickClass } from "./platform/tick-class.js";
import { closeUnconfirmed } from "./workers/supervisor.js";
import { createWorkerLink } from "./workers/worker-link.js";

limitHeapGrowth();
keepTickClass();
// As Node 21 has it. Before, pg makes a Response to see where it runs, for which Node loads all of `fetch`: 3 MB.
(globalThis as { navigator?: { readonly userAgent: string } }).navigator ??= { userAgent: "Node.js" };
// Loaded afterwards: the program itself is most of the heap.
const { EXIT } = await import("./commands/command-context.js");
const { run } = await import("./program.js");

/** The environment variable with a worker's number, and that of the first one, which is not empty there. */
const WORKER = "HAMKIT_IDENTITY_WORKER";
const FIRST = "HAMKIT_IDENTITY_FIRST_WORKER";

/** A signal within this time of the first is a duplicate: npm forwards signals that its child also receives. */
const REPEAT_MS = 250;

const worker = cluster.isWorker
  ? createWorkerLink(
      { id: Number(process.env[WORKER]), isFirst: process.env[FIRST] !== "" },
      {
        send: (message) => process.send?.(message),
        on: (event, listener) => process.on(event, listener),
      },
    )
  : undefined;

// A message that can't be written ends nothing.
process.stderr.on("error", () => {});
function writeError(text: string): void {
  try {
    process.stderr.write(text);
  } catch {
    // A file on a full disk throws.
  }
}

const io: ProgramIo = {
  env: process.env,
  stdout: process.stdout,
  stderr: { write: writeError },
  isInteractive: process.stderr.isTTY && worker === undefined,
  stopped: () =>
    new Promise((resolve) => {
      let firstAt: number | undefined;
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.on(signal, () => {
          // A worker may get both a signal and the supervisor's message: it continues its graceful stop.
          const isRepeated = firstAt !== undefined && performance.now() - firstAt > REPEAT_MS;
          if (isRepeated && worker === undefined) process.exit(EXIT.failed);
          firstAt ??= performance.now();
          resolve({ isHurried: signal === "SIGINT" });
        });
      void worker?.stopped.then(resolve);
    }),
  onReload(reload) {
    process.on("SIGHUP", reload);
    worker?.onReload(reload);
  },
  fork({ id, isFirst }) {
    const forked = cluster.fork({ [WORKER]: String(id), [FIRST]: isFirst ? "1" : "" });
    closeUnconfirmed(forked.process, () => Object.keys(cluster.workers ?? {}).length === 1);
    return forked;
  },
  worker,
};

process.exitCode = await run(process.argv.slice(2), io);
// Don't wait for open handles.
process.exit();
