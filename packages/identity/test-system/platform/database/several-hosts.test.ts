/** Failover between two PostgreSQL servers. */
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { messageOf } from "../../../src/platform/errors.js";
import { startPostgres, type PostgresServer } from "../../postgres-server.js";
import { waitForStableRevision } from "../../../test/platform/database/stable-revision.js";

describe("PostgreSQL with several hosts", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let open: Database[];
  beforeEach(async () => {
    primary = await startPostgres();
    standby = await primary.startStandby();
    open = [];
  });
  afterEach(async () => {
    await Promise.all(open.map((database) => database.close()));
    standby.remove();
    primary.remove();
  });

  function openAt(url: string, options: Parameters<typeof openDatabase>[1] = {}): Database {
    const database = openDatabase(url, options);
    open.push(database);
    return database;
  }
  const hostsOf = (...servers: PostgresServer[]) => servers.map(({ url }) => new URL(url).host).join(",");
  const note = (database: Database, text: string) =>
    database.transaction((transaction) =>
      sql`insert into note values (${text})`.execute(transaction.tables()),
    );
  const notes = async (database: Database) => {
    const { rows } = await sql<{ text: string }>`select text from note order by text`.execute(
      database.tables(),
    );
    return rows.map(({ text }) => text);
  };
  const succeeds = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    );

  it("is found where it takes writes, and followed when the other server takes over", async () => {
    const database = openAt(
      `postgres://postgres@${hostsOf(standby, primary)}/postgres?target_session_attrs=read-write`,
    );
    await sql`create table note (text text)`.execute(database.tables());
    await note(database, "a");
    await waitForStableRevision(database);
    await caughtUp(primary, standby);
    const before = database.revision("facts");

    primary.stop("immediate");
    // A standby takes no writes, so there is no server to follow yet.
    await expect(note(database, "lost")).rejects.toBeInstanceOf(DatabaseUnavailable);
    const failure = await database.ping().catch((error: unknown) => error);
    expect(messageOf(failure)).toMatch(/no host is read-write: .*ECONNREFUSED.*|.*is a standby/);
    standby.promote();
    const promoted = performance.now();
    await expect.poll(() => succeeds(note(database, "b")), { timeout: 15_000 }).toBe(true);
    expect(performance.now() - promoted).toBeLessThan(10_000);
    expect(await notes(database)).toEqual(["a", "b"]);
    // Changes are heard from the new one, and nothing from before counts.
    await waitForStableRevision(database);
    expect(database.revision("facts")).toBeGreaterThan(before);
    const heard = database.revision("facts");
    await note(openAt(standby.url), "c");
    await expect.poll(() => database.revision("facts")).toBeGreaterThan(heard);
  });

  it("is unavailable, not unexpected, where a single address leads to a standby: such as HAProxy's before it notices", async () => {
    const retries: string[] = [];
    const database = openAt(standby.url, { onRetry: (reason) => retries.push(reason) });
    await expect(note(database, "lost")).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(retries).toEqual(["read_only", "read_only"]);
  });

  it("is followed when the server in use refuses to write, while it goes on, and no write fails", async () => {
    const retries: string[] = [];
    const database = openAt(`postgres://postgres@${hostsOf(primary, standby)}/postgres`, {
      onRetry: (reason) => retries.push(reason),
      onFailover: () => retries.push("failover"),
    });
    await sql`create table note (text text)`.execute(database.tables());
    await waitForStableRevision(database);
    await caughtUp(primary, standby);
    standby.promote();
    await run(primary, "alter system set default_transaction_read_only = on");
    await run(primary, "select pg_reload_conf()");
    // The server passes the signal on to its processes when it gets to it.
    const readOnly = async () => {
      const { rows } = await sql<{
        value: string;
      }>`select current_setting('default_transaction_read_only') as value`.execute(database.tables());
      return rows[0]?.value;
    };
    await expect.poll(readOnly, { timeout: 15_000 }).toBe("on");
    await note(database, "b");
    expect(retries).toEqual(["read_only", "failover"]);
    expect(await notes(openAt(standby.url))).toEqual(["b"]);
    // The old primary keeps notifying the listening connection: its notifications must be ignored.
    await waitForStableRevision(database);
    const heard = database.revision("facts");
    await note(openAt(standby.url), "c");
    await expect.poll(() => database.revision("facts")).toBeGreaterThan(heard);
  });
});

async function run({ url }: PostgresServer, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until the standby has everything that the primary has. */
async function caughtUp(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [row] = await run(primary, "select pg_current_wal_lsn()::text as lsn");
  await expect
    .poll(
      async () =>
        (await run(standby, `select pg_last_wal_replay_lsn() >= '${String(row?.["lsn"])}' as is`))[0],
    )
    .toEqual({ is: true });
}
