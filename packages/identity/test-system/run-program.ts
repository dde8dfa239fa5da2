import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ProgramRun {
  readonly input?: string;
  /** In addition to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramEnd {
  readonly exit: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program to its end, while this process goes on. */
export async function runProgram(command: readonly string[], run: ProgramRun = {}): Promise<ProgramEnd> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...run.env } });
  const texts = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (texts.output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (texts.errors += text));
  // A program may end before it has read its input.
  child.stdin.on("error", () => {});
  child.stdin.end(run.input ?? "");
  const [exit] = (await once(child, "close")) as [number | null];
  return { exit, ...texts };
}

/** The lines of JSON that a script of `clients/` gives in answer to a question. @throws The script failed. */
export async function askClient(script: string, question: unknown, env = {}): Promise<unknown[]> {
  return askScript(`clients/${script}`, question, env);
}

/** The same for a script at a path in this folder. */
export async function askScript(script: string, question: unknown, env = {}): Promise<unknown[]> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { exit, output, errors } = await runProgram(["/usr/bin/python3", path], {
    input: JSON.stringify(question),
    // A proxy of this computer's is none for a service on it.
    env: { PYTHONDONTWRITEBYTECODE: "1", NO_PROXY: "127.0.0.1", ...env },
  });
  if (exit !== 0) throw new Error(errors);
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}
