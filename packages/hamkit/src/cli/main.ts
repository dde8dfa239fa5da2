/** Entry point of the `hamkit` process: connects streams, environment and clock, and sets the exit code. */
import { once } from "node:events";

import { EXIT } from "./exit-code.js";
import { run } from "./run.js";
import { writeDiagnostic, type CommandIo, type OutputStream } from "./session.js";

const io: CommandIo = {
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  // Opened on demand: opening standard input costs time, and few commands read it.
  stdin: () => process.stdin,
  env: process.env,
  now: () => new Date(),
  keyring: async () => (await import("./databases/keyring.js")).openKeyring(),
  ask: process.stdin.isTTY
    ? async (question, options) => (await import("./terminal/ask.js")).ask(question, options, process)
    : undefined,
};
let outputFailed = false;
process.stdout.on("error", reportOnce);
process.stderr.on("error", () => {}); // a failure of standard error can't be reported

const exitCode = await run(process.argv.slice(2), io);
if (!outputFailed) process.exitCode = exitCode;

/** Reports an output failure, such as a full disk. A closed pipe (`hamkit ... | head`) is not a failure. */
function reportOnce({ code, message }: NodeJS.ErrnoException): void {
  if (code === "EPIPE" || outputFailed) return;
  outputFailed = true;
  process.exitCode = EXIT.ioError;
  writeDiagnostic(io, "error", `standard output: ${message}`);
}

function outputTo(stream: NodeJS.WriteStream): OutputStream {
  let isOpen = true;
  stream.on("error", () => {
    isOpen = false;
  });
  return {
    write: (text) => stream.write(text),
    async ready() {
      // On a failure `once` rejects, and the error handler above has set isOpen.
      if (isOpen && stream.writableNeedDrain) await once(stream, "drain").catch(() => {});
      return isOpen;
    },
    isTerminal: stream.isTTY,
    // A terminal of unknown width reports 0.
    columns: (stream.isTTY && stream.columns) || undefined,
  };
}
