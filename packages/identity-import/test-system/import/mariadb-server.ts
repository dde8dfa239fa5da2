/** A MariaDB server of the test's own, on a socket in a temporary folder. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const START_MS = 60_000;

export interface MariadbServer {
  /** Makes a database, and runs the statements of a dump in it. @returns Its address. */
  restore(name: string, dump: string | Buffer): string;
  remove(): Promise<void>;
}

/** @throws The server does not start. */
export async function startMariadb(): Promise<MariadbServer> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-mariadb-"));
  const socket = join(folder, "socket");
  const data = `--datadir=${join(folder, "data")}`;
  const asRoot = process.getuid?.() === 0 ? ["--user=root"] : [];
  const made = spawnSync("mariadb-install-db", [
    "--no-defaults",
    data,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    ...asRoot,
  ]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  const server = spawn(
    "mariadbd",
    [
      "--no-defaults",
      data,
      `--socket=${socket}`,
      "--skip-networking",
      `--pid-file=${join(folder, "pid")}`,
      ...asRoot,
    ],
    { stdio: "ignore" },
  );
  const deadline = Date.now() + START_MS;
  while (!existsSync(socket)) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error("MariaDB did not start");
    await delay(50);
  }
  return {
    restore(name, dump) {
      const client = ["--no-defaults", `--socket=${socket}`, "--user=root"];
      const statements = [`create database ${name} character set utf8mb4;`, dump];
      for (const [index, input] of statements.entries()) {
        const { status, stderr } = spawnSync("mariadb", [...client, ...(index === 0 ? [] : [name])], {
          input,
        });
        if (status !== 0) throw new Error(stderr.toString());
      }
      return `mysql+pymysql://root@localhost/${name}?charset=utf8&unix_socket=${encodeURIComponent(socket)}`;
    },
    async remove() {
      server.kill();
      await once(server, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
