/** Debian's Keystone behind an Apache of its own with mod_auth_mellon: in a temporary folder, on free ports. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { runProgram } from "../../run-program.js";
import { ADMIN_PASSWORD } from "../../service-process.js";
import {
  apacheConfiguration,
  keystoneConfiguration,
  type KeystonePlace,
  type KeystoneSettings,
} from "./keystone-configuration.js";

/** How long it may take to make one, and to start one. */
export const KEYSTONE_MS = 240_000;

export interface KeystoneServer {
  /** Runs lines of a shell as Keystone's user. @throws A line has failed. */
  run(lines: string): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What it and its Apache have logged. */
  log(): Promise<string>;
}

/** Makes a Keystone, which does not run yet. @throws It can't be made. */
export async function makeKeystone(
  place: KeystonePlace,
  settings: KeystoneSettings,
): Promise<KeystoneServer> {
  const { folder } = place;
  // oslo.config reads a file of this name in the home of the process's user.
  const configuration = join(folder, "keystone.conf");
  const apacheFile = join(folder, "apache.conf");
  await writeFile(configuration, keystoneConfiguration(place, settings.keystone));
  await writeFile(apacheFile, apacheConfiguration(place, settings));
  const owner = ownerOfServers();
  for (const path of ["", "mellon", "saml"]) {
    await mkdir(join(folder, path), { recursive: true });
    if (owner !== undefined) await chown(join(folder, path), owner, owner);
  }

  const env = { HOME: folder, OS_KEYSTONE_CONFIG_FILES: configuration, PYTHONWARNINGS: "ignore" };
  const through = owner === undefined ? [] : ["/usr/bin/setpriv", `--reuid=${owner}`, `--regid=${owner}`];
  const asOwner = (command: readonly string[]) =>
    owner === undefined ? command : [...through, "--clear-groups", "--", ...command];
  const run = async (command: readonly string[]) => {
    const { exit, errors } = await runProgram(asOwner(command), { env });
    if (exit !== 0) throw new Error(`${command.join(" ")}\n${errors}`);
  };
  const setUp = fileURLToPath(new URL("keystone-set-up.py", import.meta.url));
  await run(["/usr/bin/python3", "-B", setUp, configuration, ADMIN_PASSWORD]);

  let apache: ChildProcess | undefined;
  let errors = "";
  const log = async () => {
    const files = ["keystone.log", "apache.log"].map((name) => join(folder, name));
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8").catch(() => "")));
    return [...texts, errors].join("\n");
  };
  return {
    run: (lines) => run(["/bin/bash", "-euc", lines]),
    log,
    async start() {
      const [program = "", ...args] = asOwner(["/usr/sbin/apache2", "-DFOREGROUND", "-f", apacheFile]);
      apache = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
      apache.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
      const deadline = Date.now() + KEYSTONE_MS;
      while (!(await answers(`http://127.0.0.1:${place.port}/v3`))) {
        if (apache.exitCode !== null || Date.now() > deadline)
          throw new Error(`no Keystone:\n${await log()}`);
        await delay(100);
      }
    },
    async stop() {
      if (apache === undefined || apache.exitCode !== null) return;
      const ended = once(apache, "close");
      apache.kill("SIGTERM");
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

/** Apache's own user in Debian, where this is root: what root does with the files of a web server is no test. */
function ownerOfServers(): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return Number(spawnSync("id", ["-u", "www-data"], { encoding: "utf8" }).stdout.trim());
}
