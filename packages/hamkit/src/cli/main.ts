#!/usr/bin/env node
/** The process around the command line: its streams, its clock, its exit code. */
import { run } from "./run.js";
import type { OutputStream } from "./session.js";

process.exitCode = await run(process.argv.slice(2), {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  // Opening standard input costs time and is rarely asked for.
  stdin: () => process.stdin,
  env: process.env,
  now: () => new Date(),
});

function outputTo(stream: NodeJS.WriteStream): OutputStream {
  // A reader that has seen enough (`hamkit ... | head`) closes the pipe; that is no failure.
  stream.on("error", (failure: NodeJS.ErrnoException) => {
    if (failure.code !== "EPIPE") throw failure;
  });
  return {
    write: (text) => stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: stream.isTTY ? stream.columns : undefined,
  };
}
