/** Input at a terminal that is not shown. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";

import { UsageError } from "../exit-code.js";

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: Pick<NodeJS.WriteStream, "write">;
}

/**
 * A line that is typed, without showing it.
 *
 * @throws {UsageError} The user ends the input instead.
 */
export async function askHidden(prompt: string, { stdin, stderr }: Terminal): Promise<string> {
  // It edits the line, and writes what is typed here.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  stderr.write(prompt);
  try {
    return await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new UsageError("nothing was entered")));
    });
  } finally {
    lines.close();
    stderr.write("\n");
  }
}
