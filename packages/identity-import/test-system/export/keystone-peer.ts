/** Debian's Keystone on a database of its own, without a web server. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { runProgram } from "../../../identity/test-system/run-program.js";

const SCRIPT = fileURLToPath(new URL("keystone-peer.py", import.meta.url));
const START_MS = 120_000;

export interface PeerOptions {
  /** Where its configuration and keys are. */
  readonly folder: string;
  /** `postgresql+psycopg2://...` */
  readonly connection: string;
  /** The address that links contain. */
  readonly publicUrl: string;
  /** `[auth] methods` */
  readonly methods: readonly string[];
}

export interface KeystonePeer {
  readonly configuration: string;
  /** Runs actions of the script: `sync`, `keys`, `bootstrap`. */
  run(...actions: readonly string[]): Promise<void>;
  start(port: number): Promise<void>;
  stop(): Promise<void>;
}

export async function makePeer({
  folder,
  connection,
  publicUrl,
  methods,
}: PeerOptions): Promise<KeystonePeer> {
  await mkdir(folder, { recursive: true });
  const configuration = join(folder, "keystone.conf");
  await writeFile(
    configuration,
    `[DEFAULT]
public_endpoint = ${publicUrl}
log_file = ${join(folder, "keystone.log")}
[database]
connection = ${connection}
[auth]
methods = ${methods.join(",")}
[fernet_tokens]
key_repository = ${join(folder, "fernet-keys")}
[fernet_receipts]
key_repository = ${join(folder, "fernet-keys")}
[credential]
key_repository = ${join(folder, "credential-keys")}
`,
    { mode: 0o600 },
  );
  const command = ["/usr/bin/python3", "-B", SCRIPT, configuration];
  const env = { PYTHONWARNINGS: "ignore", HOME: folder };
  let server: ChildProcess | undefined;
  return {
    configuration,
    async run(...actions) {
      const { exit, errors } = await runProgram([...command, ...actions], { env });
      if (exit !== 0) throw new Error(`${actions.join(" ")}\n${errors}`);
    },
    async start(port) {
      const [program, ...args] = [...command, "serve", String(port)];
      const child = spawn(program, args, {
        env: { ...process.env, ...env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let errors = "";
      child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
      server = child;
      const deadline = Date.now() + START_MS;
      while (!(await answers(`http://127.0.0.1:${port}/v3`))) {
        if (child.exitCode !== null || Date.now() > deadline) throw new Error(`no Keystone:\n${errors}`);
        await delay(100);
      }
    },
    async stop() {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, "close");
      server.kill("SIGTERM");
      await ended;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
