/** Questions at a terminal. */
import { createInterface } from "node:readline";
import { Writable } from "node:stream";

import { UsageError } from "../exit-code.js";

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
}

/** How an answer is read. */
export interface QuestionOptions {
  /** What is typed is not shown. */
  readonly isHidden?: boolean;
}

/**
 * The line that is typed as an answer.
 *
 * @throws {UsageError} The user ends the input instead.
 */
export async function ask(
  question: string,
  { isHidden = false }: QuestionOptions,
  { stdin, stderr }: Terminal,
): Promise<string> {
  // The line editor writes what is typed to its output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? nowhere : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  if (isHidden) stderr.write(question);
  else lines.setPrompt(question);
  try {
    return await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("close", () => reject(new UsageError("nothing was entered")));
      if (!isHidden) lines.prompt();
    });
  } finally {
    lines.close();
    if (isHidden) stderr.write("\n");
  }
}
