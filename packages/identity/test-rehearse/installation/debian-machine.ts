/** A machine with Debian 12 and systemd in a container (systemd-nspawn), without a network of its own. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

import { vi } from "vitest";

export interface Ran {
  readonly status: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

export interface DebianMachine {
  /** Runs a command line as root. */
  run(line: string): Ran;
  /** The same. @throws It failed. */
  must(line: string): string;
  /** Copies files to its folder `/debs`. */
  bring(files: readonly string[]): void;
  stop(): Promise<void>;
}

/** The packages beyond a minimal system that the tested ones depend on. */
const PACKAGES = ["systemd", "systemd-sysv", "dbus", "libstdc++6"];

const WAIT = { timeout: 120_000, interval: 1000 };

/** Boots a new machine. It takes a minute or two. */
export async function bootDebian(): Promise<DebianMachine> {
  const root = mkdtempSync("/var/tmp/hamkit-machine-");
  const options = ["--variant=minbase", `--include=${PACKAGES.join(",")}`];
  // Users other than root have to reach what is in it.
  chmodSync(root, 0o755);
  const made = spawnSync("debootstrap", [...options, "bookworm", root], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`debootstrap: ${made.stdout}${made.stderr}`);
  const container = spawn(
    "systemd-nspawn",
    ["--quiet", "--boot", "--register=no", "--keep-unit", "--private-network", "--directory", root],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let log = "";
  for (const stream of [container.stdout, container.stderr])
    stream.on("data", (data: Buffer) => (log += data.toString()));
  const run = (line: string) => enter(container, line);
  const stop = async () => {
    if (container.exitCode === null) {
      // systemd halts on this signal.
      container.kill("SIGTERM");
      await vi.waitFor(
        () => requireThat(container.exitCode !== null || container.signalCode !== null, "runs"),
        WAIT,
      );
    }
    rmSync(root, { recursive: true, force: true });
  };
  try {
    await vi.waitFor(() => {
      const { output } = run("systemctl is-system-running");
      requireThat(/^(running|degraded)$/m.test(output), `${output}\n${log}`);
    }, WAIT);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    run,
    must(line) {
      const { status, output } = run(line);
      if (status !== 0) throw new Error(`${line}: ${status}\n${output}`);
      return output;
    },
    bring(files) {
      const folder = join(root, "debs");
      mkdirSync(folder, { recursive: true });
      for (const file of files) copyFileSync(file, join(folder, basename(file)));
    },
    stop,
  };
}

function requireThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Runs a command line next to the machine's first process, which is the child of systemd-nspawn. */
function enter({ pid }: ChildProcess, line: string): Ran {
  const [leader] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  if (leader === undefined || leader === "") return { status: null, output: "not started" };
  const env = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    LC_ALL: "C",
  };
  const args = ["--target", leader, "--all", "--root", "--wd", "/bin/sh", "-c", `exec 2>&1; ${line}`];
  const { status, stdout, stderr } = spawnSync("nsenter", args, {
    encoding: "utf8",
    env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return { status, output: `${stdout}${stderr}` };
}
