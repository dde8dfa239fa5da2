/** Starts the built service as a process, as an operator does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { TestDatabases } from "../test/databases.js";
import { MAIN } from "./run-command.js";
import { freePort } from "./free-port.js";

/** How long it may take to start. */
const START_MS = 60_000;

/** The administrator's password in every test. */
export const ADMIN_PASSWORD = "adminpw";

/** For `through`: the administrator of a machine may write everywhere, unless that is taken away. */
export const AS_UNPRIVILEGED =
  process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

/** A clock five minutes behind, and the shortest lifetime: for other clocks, tokens of such a process have expired. */
export const IN_THE_PAST = {
  LD_PRELOAD: "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  FAKETIME: "-5m",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
  IDENTITY_TOKEN_LIFETIME: "60",
};

/** A service somewhere, that clients can reach. */
export interface ReachableService {
  /** Without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly databaseUrl: string;
  /** Where it keeps its master key. */
  readonly folder: string;
  /** The program of another release; the built one if left out. */
  readonly main?: string | undefined;
  /** Any that is free if left out. */
  readonly port?: number;
  /** Of its URL; 127.0.0.1, if left out. Browsers have passkeys at names only. */
  readonly hostname?: "127.0.0.1" | "localhost";
  /** Settings in addition to those that every test needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** A program, and its arguments, that starts the service in its place. */
  readonly through?: readonly string[];
}

export interface ServiceProcess {
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  /** What it has written so far. */
  output(): string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Stops it gracefully, and waits for its exit. @throws It exits with an error. */
  stop(): Promise<void>;
}

/** Starts the service, and waits until it is ready. @throws The start fails; the message is the service's output. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const port = options.port ?? (await freePort());
  const run = launch(options, port);
  const url = urlOf(options, port);
  const deadline = Date.now() + START_MS;
  while (!(await isReady(url))) {
    if (run.child.exitCode === null && run.child.signalCode === null && Date.now() < deadline)
      await delay(20);
    else {
      run.child.kill("SIGKILL");
      throw new Error(`the service did not start:\n${run.output()}`);
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    run.child.kill(signal);
    return run.ended;
  };
  return {
    pid: run.child.pid ?? 0,
    url,
    port,
    output: run.output,
    kill: async () => void (await end("SIGKILL")),
    async stop() {
      const code = await end("SIGTERM");
      if (code !== 0) throw new Error(`the service ended with ${code}:\n${run.output()}`);
    },
  };
}

/** The output and the exit code of a service that can't start. */
export async function refusedStart(
  options: ServiceOptions,
): Promise<{ exit: number | null; output: string }> {
  const run = launch(options, await freePort());
  const late = setTimeout(() => run.child.kill("SIGKILL"), START_MS);
  const exit = await run.ended;
  clearTimeout(late);
  return { exit, output: run.output() };
}

/** A service on an empty database of a kind, for one test file. */
export async function runService(
  databases: TestDatabases,
  env: Readonly<Record<string, string>> = {},
  options: Pick<ServiceOptions, "hostname"> = {},
): Promise<ReachableService> {
  const database = await databases.create();
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  const service = await startService({ ...options, databaseUrl: database.url, folder, env });
  return {
    url: service.url,
    async close() {
      await service.stop();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function urlOf({ hostname = "127.0.0.1" }: Pick<ServiceOptions, "hostname">, port: number): string {
  return `http://${hostname}:${port}`;
}

/** Starts the service, and waits for nothing. */
export function launch(options: ServiceOptions, port: number) {
  const { databaseUrl, folder, main = MAIN, env, through = [] } = options;
  const [program = "", ...args]: readonly string[] = [...through, process.execPath, main, "serve"];
  const child = spawn(program, args, {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      // As in deploy/hamkit-identity.service.
      MALLOC_ARENA_MAX: "1",
      MALLOC_MMAP_THRESHOLD_: "131072",
      IDENTITY_DATABASE_URL: databaseUrl,
      IDENTITY_PORT: String(port),
      IDENTITY_PUBLIC_URL: urlOf(options, port),
      IDENTITY_ADMIN_PASSWORD: ADMIN_PASSWORD,
      IDENTITY_MASTER_KEY_FILE: join(folder, "master.key"),
      IDENTITY_RATE_LIMIT: "off",
      IDENTITY_SHUTDOWN_DELAY: "0",
      IDENTITY_LOG_LEVEL: "warn",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      text += data.toString();
    });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, ended, output: () => text };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}
