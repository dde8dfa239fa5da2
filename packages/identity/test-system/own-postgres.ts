/** A PostgreSQL for the tests: the one that answers, or, where none does, one of Debian's in a temporary folder. */
import { spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onServer } from "./postgres-databases.js";

/** Where Debian keeps the programs of each release. */
const RELEASES = "/usr/lib/postgresql";

/** For vitest, before all tests: what it returns ends the server again. */
export async function setup(): Promise<(() => void) | undefined> {
  try {
    await onServer("select 1");
    return undefined;
  } catch {
    return startOwn();
  }
}

async function startOwn(): Promise<() => void> {
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
  run("initdb", `--pgdata=${data}`, "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C");
  const server = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  run("pg_ctl", "start", "--wait", `--pgdata=${data}`, `--log=${join(folder, "log")}`, `--options=${server}`);
  process.env["TEST_POSTGRES_URL"] = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return () => {
    run("pg_ctl", "stop", "--mode=immediate", `--pgdata=${data}`);
    rmSync(folder, { recursive: true, force: true });
  };
}

/** PostgreSQL refuses to run as root: then it runs as the user whom its package has made. */
function ownerOfServers(): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return Number(spawnSync("id", ["-u", "postgres"], { encoding: "utf8" }).stdout.trim());
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
