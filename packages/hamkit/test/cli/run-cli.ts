/** Runs the command line in process, in a options made for the test. */
import { fileURLToPath } from "node:url";

import { IOError } from "../../src/errors.js";
import { run } from "../../src/cli/run.js";
import type { CommandIo } from "../../src/cli/session.js";

/** A country file with nine entities, written for these tests. */
export const COUNTRY_FILE = fileURLToPath(new URL("cty.dat", import.meta.url));

/** The options that make a command look up in it. */
export const IN_FILE = ["--file", COUNTRY_FILE];

/** What the data footer of a command says of it. */
export const DATA = `Data: ${COUNTRY_FILE} VER20240601 of 2024-06-01`;

export interface RunOptions {
  readonly stdin: readonly (string | Uint8Array)[];
  /** Both output streams are terminals. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string>>;
  readonly now: string;
  /** What is different from all that. */
  readonly io: Partial<CommandIo>;
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A system without a keyring, and standard input that is no terminal. */
export const WITHOUT_KEYRING: Pick<CommandIo, "ask" | "keyring"> = {
  keyring: async () => {
    throw new IOError("keyring", "none in tests");
  },
  ask: undefined,
};

/** What `hamkit` with these words writes, and how it ends. */
export async function hamkit(words: readonly string[], options: Partial<RunOptions> = {}): Promise<Outcome> {
  const { stdin = [], isTerminal = false, columns, env = {}, now = "2024-06-30T12:00:00Z", io } = options;
  let stdout = "";
  let stderr = "";
  const exitCode = await run(words, {
    stdout: { write: (text) => (stdout += text), ready, isTerminal, columns },
    stderr: { write: (text) => (stderr += text), ready, isTerminal, columns },
    stdin: () => chunks(stdin),
    env,
    now: () => new Date(now),
    ...WITHOUT_KEYRING,
    ...io,
  });
  return { exitCode, stdout, stderr };
}

/** The JSON document that `hamkit` with these words and `--json` writes. */
export async function hamkitJson(words: readonly string[], options?: Partial<RunOptions>): Promise<unknown> {
  const { stdout, stderr } = await hamkit([...words, "--json"], options);
  if (stderr !== "") throw new Error(`unexpected on standard error: ${stderr}`);
  return JSON.parse(stdout);
}

/** The reader of these streams never goes away. */
async function ready(): Promise<boolean> {
  return true;
}

async function* chunks(values: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* values;
}
