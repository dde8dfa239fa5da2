#!/usr/bin/env node
/** The process around the command line: its streams, its signals, its exit code. */
import { run } from "./program.js";

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, resolve);
    }),
});
// What has not come to its end by now is not waited for.
process.exit();
