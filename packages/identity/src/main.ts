/** The process around the command line: its streams, its signals, its exit code, and the processes that it starts. */
import cluster from "node:cluster";
import { setFlagsFromString } from "node:v8";

import { EXIT, type ProgramIo } from "./commands/command-context.js";
import { run } from "./program.js";
import { createWorkerLink } from "./workers/worker-link.js";

// Requests leave little behind. Without these V8 lets the heap grow to twice what it needs before it looks for garbage.
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--heap-growing-percent=25");

/** Says to a process which one of several it is. */
const WORKER = "HAMKIT_IDENTITY_WORKER";

/** A signal that comes sooner after the first one is the same one: npm passes on what its child has received too. */
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
          // A worker that is told by the supervisor and by a signal to all processes goes on ending.
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
// What has not come to its end by now is not waited for.
process.exit();
