/** The entry point: streams, signals, exit code and worker processes of the command line. */
import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";

import { EXIT, type ProgramIo } from "./commands/command-context.js";
import { run } from "./program.js";
import { createWorkerLink } from "./workers/worker-link.js";

// Requests retain little memory. By default V8 lets the heap grow to twice the live size before it collects garbage.
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--heap-growing-percent=25");

/** The environment variable with a worker's number. */
const WORKER = "HAMKIT_IDENTITY_WORKER";

/** A signal within this time of the first is a duplicate: npm forwards signals that its child also receives. */
const REPEAT_MS = 250;

const worker = cluster.isWorker
  ? createWorkerLink(Number(process.env[WORKER]), {
      send: (message) => process.send?.(message),
      on: (event, listener) => process.on(event, listener),
    })
  : undefined;

const io: ProgramIo = {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
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
  fork: (id) => cluster.fork({ [WORKER]: String(id) }),
  worker,
};

process.exitCode = await run(process.argv.slice(2), io);
// Don't wait for open handles.
process.exit();
