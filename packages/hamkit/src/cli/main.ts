/** The process around the command line: its streams, its clock, its exit code. */
import { once } from "node:events";

import { EXIT } from "./exit-code.js";
import { run } from "./run.js";
import { writeComplaint, type CommandIo, type OutputStream } from "./session.js";

const io: CommandIo = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  // Opening standard input costs time and is rarely asked for.
  stdin: () => process.stdin,
  env: process.env,
  now: () => new Date(),
};
let outputFailed = false;
process.stdout.on("error", tellOnce);
process.stderr.on("error", () => {}); // where nothing can be told any more

const exitCode = await run(process.argv.slice(2), io);
if (!outputFailed) process.exitCode = exitCode;

/** A reader that has seen enough (`hamkit ... | head`) closes the pipe: no failure. A full disk is one. */
function tellOnce({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE" || outputFailed) return;
  outputFailed = true;
  process.exitCode = EXIT.unreachable;
  writeComplaint(io, "error", `standard output: ${message}`);
}

function outputTo(stream: NodeJS.WriteStream): OutputStream {
  let isOpen = true;
  stream.on("error", () => {
    isOpen = false;
  });
  return {
    write: (text) => stream.write(text),
    async ready() {
      // A failure rejects, and has closed it by then.
      if (isOpen && stream.writableNeedDrain) await once(stream, "drain").catch(() => {});
      return isOpen;
    },
    isTerminal: stream.isTTY,
    // A terminal that does not know its width says 0.
    columns: (stream.isTTY && stream.columns) || undefined,
  };
}
