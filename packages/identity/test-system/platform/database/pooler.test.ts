/** PgBouncer between the service and PostgreSQL, in both modes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { waitForStableRevision } from "../../../test/platform/database/stable-revision.js";
import { freePort } from "../../free-port.js";
import { startPostgres, type PostgresServer } from "../../postgres-server.js";

/** Fewer than clients, so that transactions of several clients take turns on one. */
const SERVER_CONNECTIONS = 3;

describe.each(["session", "transaction"] as const)("PostgreSQL behind PgBouncer in %s mode", (mode) => {
  let server: PostgresServer;
  let pooler: { readonly url: string; stop(): Promise<void> };
  let database: Database;
  let direct: Database;
  let poolers = 0;
  beforeAll(async () => {
    server = await startPostgres();
    pooler = await startPgBouncer(server, mode);
    database = openDatabase(pooler.url, { onPooler: () => poolers++, limits: LIMITS });
    direct = openDatabase(server.url);
    await sql`create table note (text text primary key)`.execute(database.tables());
  });
  afterAll(async () => {
    await Promise.all([database.close(), direct.close()]);
    await pooler.stop();
    server.remove();
  });

  const note = (text: string, on = database) =>
    on.transaction((transaction) => sql`insert into note values (${text})`.execute(transaction.tables()));

  it("says once that changes are polled for, and hears of those of others within a second", async () => {
    await waitForStableRevision(database);
    expect(poolers).toBe(1);
    for (let count = 0; count < 5; count++) {
      const before = database.revision("facts");
      await note(`other ${count}`, direct);
      await expect.poll(() => database.revision("facts"), { timeout: 1000, interval: 20 }).not.toBe(before);
      await waitForStableRevision(database);
    }
  });

  it("serves many transactions at once, which conflict as they do without", async () => {
    const increments = Array.from({ length: 40 }, () =>
      database.transaction(async (transaction) => {
        const { rows } = await sql<{
          count: number;
        }>`select count(*) from note where text like 'count %'`.execute(transaction.tables());
        await sql`insert into note values (${`count ${rows[0]?.count}`})`.execute(transaction.tables());
      }),
    );
    await Promise.allSettled(increments);
    const { rows } = await sql<{ text: string }>`select text from note where text like 'count %'`.execute(
      direct.tables(),
    );
    // None was counted twice, and none left out.
    expect(rows.map(({ text }) => Number(text.slice(6))).toSorted((one, other) => one - other)).toEqual(
      rows.map((_row, at) => at),
    );
    expect(rows.length).toBeGreaterThan(10);
  });

  it("limits how long a transaction waits for a lock, and leaves no setting to other clients", async () => {
    const holder = new pg.Client({ connectionString: server.url });
    await holder.connect();
    try {
      await holder.query("begin");
      await holder.query("lock table note");
      const from = performance.now();
      await expect(note("waits")).rejects.toBeInstanceOf(DatabaseUnavailable);
      expect(performance.now() - from).toBeLessThan(3000);
    } finally {
      await holder.end();
    }
    const stranger = new pg.Client({ connectionString: pooler.url });
    await stranger.connect();
    try {
      const { rows } = await stranger.query("select current_setting('lock_timeout') as lock");
      expect(rows).toEqual([{ lock: "0" }]);
    } finally {
      await stranger.end();
    }
  });

  it("excludes other processes from migrations by a lock of the transaction", async () => {
    const order: string[] = [];
    const work = (name: string, on: Database) =>
      on.alone(async (transaction) => {
        order.push(`${name} begins`);
        await sql`select pg_sleep(0.1)`.execute(transaction.tables());
        order.push(`${name} ends`);
      });
    await Promise.all([work("one", database), work("other", direct)]);
    expect([order[0]?.split(" ")[0], order[2]?.split(" ")[0]]).toEqual([
      order[1]?.split(" ")[0],
      order[3]?.split(" ")[0],
    ]);
  });

  it("works again after PostgreSQL was restarted behind it", async () => {
    server.stop("fast");
    const from = performance.now();
    await expect(note("lost")).rejects.toBeInstanceOf(DatabaseUnavailable);
    // PgBouncer itself would wait 15 s for the server.
    expect(performance.now() - from).toBeLessThan(8000);
    server.start();
    await expect.poll(() => note("back").then(() => "done", String), { timeout: 20_000 }).toBe("done");
    await waitForStableRevision(database);
  });
});

const LIMITS = {
  maxConnections: 10,
  connectMs: 3000,
  maxIdleMs: 10_000,
  statementMs: 10_000,
  lockMs: 1000,
  idleInTransactionMs: 10_000,
};

/** Starts Debian's PgBouncer, as docs/identity/postgresql.md has its settings. */
async function startPgBouncer({ url }: PostgresServer, mode: string) {
  const folder = mkdtempSync(join(tmpdir(), "hamkit-pgbouncer-"));
  const port = await freePort();
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
postgres = host=127.0.0.1 port=${new URL(url).port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === "session" ? 20 : SERVER_CONNECTIONS}
max_client_conn = 200
server_login_retry = 1
`,
  );
  chmodSync(folder, 0o755);
  const user = process.getuid?.() === 0 ? ["--reuid=postgres", "--clear-groups"] : [];
  const child = spawn("setpriv", [...user, "--pdeathsig=KILL", "--", "/usr/sbin/pgbouncer", "-q", settings], {
    stdio: "ignore",
  });
  const ended = once(child, "close");
  const own = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (let tries = 0; tries < 100 && !(await isReady(own)); tries++) await delay(50);
  return {
    url: own,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
