/** Runs the command line in a folder and an environment of the test's own: services in processes, other commands in this one. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach } from "vitest";

import { run } from "../src/program.js";

const MAIN = fileURLToPath(new URL("../dist/hamkit-identity.js", import.meta.url));

const ENVIRONMENT = { IDENTITY_ADMIN_PASSWORD: "adminpw", IDENTITY_SHUTDOWN_DELAY: "0" };

/** Commands that start threads or processes, or keep a file open until their process ends. */
const IN_A_PROCESS: ReadonlySet<string> = new Set(["serve", "migrate", "doctor", "backup", "restore"]);

/** A run. */
export interface Run {
  readonly child: ChildProcess;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  readonly output: () => string;
  readonly errors: () => string;
  /** The lines of the log so far. */
  readonly lines: () => Record<string, unknown>[];
}

export interface CommandLine {
  /** The home of all runs, where files of the test can be. */
  readonly folder: () => string;
  /** Begins a run, in an environment with nothing but this. */
  readonly start: (args: readonly string[], env?: Record<string, string>) => Run;
  /** The exit code and all output of a run. Within this process, where it is a command of this repository's program that ends by itself. */
  readonly finish: (args: readonly string[], env?: Record<string, string>) => Promise<Finished>;
}

export interface Finished {
  readonly exit: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * For each test of the file: its folder is removed, and what still runs is ended.
 *
 * @param program The program; that of this repository, if left out.
 */
export function commandLine(program = () => MAIN): CommandLine {
  let folder: string;
  let children: ChildProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    children = [];
  });
  afterEach(async () => {
    for (const child of children) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });

  function start(args: readonly string[], env: Record<string, string> = {}): Run {
    const child = spawn(process.execPath, [program(), ...args], {
      env: { HOME: folder, ...ENVIRONMENT, ...env },
    });
    children.push(child);
    let output = "";
    let errors = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString()));
    child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
    const ended = new Promise<number | null>((resolve) => {
      child.once("close", resolve);
    });
    const lines = () =>
      output
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    return { child, ended, output: () => output, errors: () => errors, lines };
  }

  return {
    folder: () => folder,
    start,
    async finish(args, env) {
      const isHere = program() === MAIN && args[0] !== undefined && !IN_A_PROCESS.has(args[0]);
      if (isHere) return finishHere(args, { HOME: folder, ...ENVIRONMENT, ...env });
      const begun = start(args, env);
      const exit = await begun.ended;
      return { exit, output: begun.output(), errors: begun.errors() };
    },
  };
}

/** What a command does that starts nothing: a process for each would take most of the time of its tests. */
async function finishHere(args: readonly string[], env: Record<string, string>): Promise<Finished> {
  let output = "";
  let errors = "";
  const unused = () => {
    throw new Error("a command that serves runs in a process");
  };
  const exit = await run(args, {
    env,
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    isInteractive: false,
    stopped: unused,
    onReload: unused,
    fork: unused,
    worker: undefined,
  });
  return { exit, output, errors };
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
