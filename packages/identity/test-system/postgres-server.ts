/** Starts Debian's PostgreSQL for one test: in a temporary folder, on a free port. */
import { spawnSync } from "node:child_process";
import { appendFileSync, chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "./free-port.js";

/** Where Debian keeps the programs of each release. */
const RELEASES = "/usr/lib/postgresql";

export interface PostgresServer {
  /** Its first database, as its first user. */
  readonly url: string;
  start(): void;
  /** @param mode `immediate` is a crash, `fast` ends connections in good order. */
  stop(mode: "immediate" | "fast"): void;
  /** Stops it, and deletes its data. */
  remove(): void;
  /** Starts a second server that follows this one. */
  startStandby(): Promise<PostgresServer>;
  /** Has a standby become a primary. */
  promote(): void;
}

/** It doesn't wait for the disk, which only a crash of the whole machine makes necessary. */
export function startPostgres(): Promise<PostgresServer> {
  return startServer(({ run, data }) => {
    run(
      "initdb",
      `--pgdata=${data}`,
      "--auth=trust",
      "--username=postgres",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
    );
    appendFileSync(join(data, "postgresql.conf"), "fsync = off\nfull_page_writes = off\n");
  });
}

interface NewServer {
  readonly run: (program: string, ...args: string[]) => void;
  readonly data: string;
}

/** @param fill Makes the folder of its data. */
async function startServer(fill: (made: NewServer) => void): Promise<PostgresServer> {
  const programs = join(RELEASES, readdirSync(RELEASES).toSorted().at(-1) ?? "", "bin");
  const folder = mkdtempSync(join(tmpdir(), "hamkit-postgres-"));
  const data = join(folder, "data");
  const owner = ownerOfServers();
  if (owner !== undefined) chownSync(folder, owner, -1);
  const run = (program: string, ...args: string[]) => {
    const options = owner === undefined ? {} : { uid: owner };
    const { status, stderr } = spawnSync(join(programs, program), args, {
      ...options,
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  };
  const port = await freePort();
  const options = `--options=-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  const server: PostgresServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () =>
      run("pg_ctl", "start", "--wait", `--pgdata=${data}`, `--log=${join(folder, "log")}`, options),
    stop: (mode) => run("pg_ctl", "stop", `--mode=${mode}`, `--pgdata=${data}`),
    remove() {
      try {
        server.stop("immediate");
      } catch {
        // A test has already stopped it.
      }
      rmSync(folder, { recursive: true, force: true });
    },
    startStandby: () =>
      startServer((made) =>
        made.run(
          "pg_basebackup",
          `--pgdata=${made.data}`,
          `--dbname=${server.url}`,
          "--write-recovery-conf",
          "--checkpoint=fast",
        ),
      ),
    promote: () => run("pg_ctl", "promote", "--wait", `--pgdata=${data}`),
  };
  fill({ run, data });
  server.start();
  return server;
}

/** PostgreSQL refuses to run as root: then it runs as the user of its Debian package. */
function ownerOfServers(): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return Number(spawnSync("id", ["-u", "postgres"], { encoding: "utf8" }).stdout.trim());
}
