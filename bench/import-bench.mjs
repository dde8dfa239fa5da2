/**
 * `hamkit-identity import` of a Keystone with a million role assignments, `import --update` after some changes, and `export` to a file
 * and to a Keystone's database: rows per second, and the most memory at once.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { databaseOnPostgres, MAIN, megabytesIn, onPostgres } from "./identity-service.mjs";
import { createKeystone, createTables, isInstalled } from "./keystone-database.mjs";

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
    await measureAll("SQLite", `sqlite:${join(folder, "identity.db")}`, { source, folder, row });
    const target = await databaseOnPostgres();
    try {
      await measureAll("PostgreSQL", target.url, { source, folder, row });
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

/** Some changes, as between two updates: deletions, new assignments and new names. */
const change = (url, round) =>
  onPostgres(
    `delete from assignment where actor_id = md5('user' || ${round});
     insert into assignment (type, actor_id, target_id, role_id, inherited)
       select 'UserProject', md5('user' || u), md5('project' || 1), r.id, false
       from ${numbers("u")}, (select id from role where name = 'member') r on conflict do nothing;
     update local_user set name = 'renamed-${round}-' || user_id where user_id = md5('user' || ${round})`,
    url,
  );

let rounds = 0;

async function measureAll(name, databaseUrl, { source, folder, row }) {
  const env = {
    HOME: folder,
    TMPDIR: folder,
    IDENTITY_DATABASE_URL: databaseUrl,
    IDENTITY_MASTER_KEY: randomBytes(32).toString("base64"),
    IDENTITY_IMPORT_DATABASE_URL: source.url,
  };
  const measure = (work, words, more = {}) =>
    run(`${name}: rows ${work} in a second`, words, { ...env, ...more }, row);
  await measure("imported", ["import"]);
  await change(source.url, ++rounds);
  await measure("updated", ["import", "--update"]);
  const file = join(folder, `${name}.sql`);
  await measure("exported to a file", ["export", "--sql", file, "--for", "postgresql", "--schema", "zed"]);
  rmSync(file);
  const keystone = await databaseOnPostgres();
  const place = mkdtempSync(join(folder, "keystone-"));
  try {
    createTables(place, keystone.url);
    const to = { IDENTITY_EXPORT_DATABASE_URL: keystone.url };
    await measure("exported to PostgreSQL", ["export"], to);
  } finally {
    await keystone.remove();
  }
}

/** Runs a command, and reports its rows per second and its memory. */
async function run(work, words, env, row) {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, ...words], { env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, peakMegabytes(child.pid))), POLL_MS);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${errors.slice(-2000)}`);
  const seconds = (performance.now() - start) / 1000;
  row({ work, hamkit: ROWS / seconds, limit: MIN_ROWS_PER_SECOND });
  row({ work: "  most memory at once", hamkit: peak, unit: "MB", limit: MAX_MEGABYTES });
}

/** @returns 0 once the process has ended. */
function peakMegabytes(pid) {
  try {
    return megabytesIn(pid, "VmHWM");
  } catch {
    return 0;
  }
}
