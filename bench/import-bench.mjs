/** `hamkit-identity import` of a Keystone with a million role assignments: rows per second, and the most memory at once. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { databaseOnPostgres, MAIN, onPostgres } from "./identity-service.mjs";
import { createKeystone, isInstalled } from "./keystone-database.mjs";

/** As many users, and as many projects: each user has a role on each. */
const COUNT = 1000;
const ROWS = COUNT * COUNT + 3 * COUNT;
const MIN_ROWS_PER_SECOND = 20_000;
const MAX_MEGABYTES = 200;
const POLL_MS = 50;

export async function bench({ row }) {
  if (!isInstalled()) {
    row({ work: "Debian's Keystone is not installed: not measured", hamkit: 0 });
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "hamkit-import-bench-"));
  const source = await databaseOnPostgres();
  try {
    createKeystone(folder, source.url);
    await fill(source.url);
    await measure("SQLite", `sqlite:${join(folder, "identity.db")}`, { source, folder, row });
    const target = await databaseOnPostgres();
    try {
      await measure("PostgreSQL", target.url, { source, folder, row });
    } finally {
      await target.remove();
    }
  } finally {
    await source.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

const numbers = (name) => `generate_series(1, ${COUNT}) as ${name}`;

async function fill(url) {
  await onPostgres(
    `insert into project (id, name, extra, description, enabled, domain_id, parent_id, is_domain)
       select md5('project' || n), 'project-' || n, '{}', '', true, 'default', 'default', false from ${numbers("n")};
     insert into "user" (id, extra, enabled, domain_id) select md5('user' || n), '{}', true, 'default' from ${numbers("n")};
     insert into local_user (user_id, domain_id, name)
       select md5('user' || n), 'default', 'user-' || n from ${numbers("n")};
     insert into assignment (type, actor_id, target_id, role_id, inherited)
       select 'UserProject', md5('user' || u), md5('project' || p), r.id, false
       from ${numbers("u")}, ${numbers("p")}, (select id from role where name = 'reader') r`,
    url,
  );
}

async function measure(name, databaseUrl, { source, folder, row }) {
  const env = {
    HOME: folder,
    TMPDIR: folder,
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_MASTER_KEY: randomBytes(32).toString("base64"),
    IDENTITY_IMPORT_DATABASE_URL: source.url,
  };
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, "import"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, peakMegabytes(child.pid))), POLL_MS);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`import ended with ${code}: ${errors.slice(-2000)}`);
  const seconds = (performance.now() - start) / 1000;
  row({
    work: `${name}: rows imported in a second`,
    hamkit: ROWS / seconds,
    limit: MIN_ROWS_PER_SECOND,
  });
  row({ work: "  most memory at once", hamkit: peak, unit: "MB", limit: MAX_MEGABYTES });
}

/** @returns 0 once the process has ended. */
function peakMegabytes(pid) {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
