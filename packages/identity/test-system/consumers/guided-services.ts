/** Debian's services, configured by the blocks of the guide "Connecting services". */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Importing its modules takes seconds of a core. */
const START_MS = 180_000;

export interface GuidedService {
  output(): string;
  close(): Promise<void>;
}

export interface ServiceToStart {
  readonly name: "glance" | "placement" | "barbican" | "swift";
  readonly port: number;
  /** Each service gets a folder of its own in it. */
  readonly folder: string;
  readonly configuration: string;
}

/** Starts a service, and waits until it answers. @throws It does not start; the message has its output. */
export async function startGuided({
  name,
  port,
  folder,
  configuration,
}: ServiceToStart): Promise<GuidedService> {
  const own = join(folder, name);
  await mkdir(own, { recursive: true });
  const script = fileURLToPath(
    new URL(name === "swift" ? "serve-swift.py" : "serve-app.py", import.meta.url),
  );
  const args = [...(name === "swift" ? [] : [name]), String(port), own];
  const child = spawn("/usr/bin/python3", [script, ...args], {
    env: {
      PATH: "/usr/bin:/bin",
      HOME: own,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONWARNINGS: "ignore",
      NO_PROXY: "127.0.0.1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (output += data.toString()));
  const ended = once(child, "close");
  child.stdin.end(configuration);
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const deadline = Date.now() + START_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`${name} did not start:\n${output}`);
    }
    await delay(100);
  }
  return { output: () => output, close };
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
