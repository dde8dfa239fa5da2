/** A counterpart of the service, as a process of its own on this computer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

/** How long one may take to start. */
const START_MS = 30_000;

export interface PartyCommand {
  readonly command: readonly string[];
  /** In addition to this process's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Answers with a status below 400 once the party is ready. */
  readonly readyUrl: string;
}

export interface PartyProcess {
  /** What it has written so far. */
  output(): string;
  close(): Promise<void>;
}

/** @throws It does not start; the message has its output. */
export async function startParty({ command, env, readyUrl }: PartyCommand): Promise<PartyProcess> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // With a process group of its own: some servers have child processes.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (output += text.toString()));
  const ended = once(child, "close");
  const close = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
  };
  const deadline = Date.now() + START_MS;
  while (!(await answers(readyUrl))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`${program} does not answer at ${readyUrl}:\n${output}`);
    }
    await delay(50);
  }
  return { output: () => output, close };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
