/** Lists from standbys that are close enough behind the primary. */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { startBlackHole, type BlackHole } from "../../black-hole.js";
import { startPostgres, type PostgresServer } from "../../postgres-server.js";

const MAX_LAG_MS = 500;

describe("lists from a standby", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let hole: BlackHole;
  let database: Database;
  const reads: string[] = [];
  const lags = new Map<string, number>();
  beforeAll(async () => {
    primary = await startPostgres();
    standby = await primary.startStandby();
    hole = await startBlackHole(standby.url);
    database = openWith(hole.through(standby.url));
    await sql`create table note (text text)`.execute(database.tables());
  });
  beforeEach(async () => {
    await note("first");
    await sql`delete from note`.execute(database.tables());
    for (let tries = 0; tries < 300 && !(await readsFromStandby()); tries++) await delay(50);
  });
  afterAll(async () => {
    await database.close();
    hole.remove();
    standby.remove();
    primary.remove();
  });

  const openWith = (standbysUrl: string) =>
    openDatabase(primary.url, {
      standbys: { url: standbysUrl, maxLagMs: MAX_LAG_MS },
      onListRead: (from) => reads.push(from),
      onStandbyLag: (host, behind) => lags.set(host, behind),
    });
  const note = (text: string, on = database) =>
    on.transaction((transaction) => sql`insert into note values (${text})`.execute(transaction.tables()), {
      changes: [],
    });
  const list = async () => {
    const { rows } = await sql<{ text: string }>`select text from note order by text`.execute(
      database.forLists.tables(),
    );
    return rows.map(({ text }) => text);
  };
  async function readsFromStandby(): Promise<boolean> {
    await list();
    return reads.at(-1) === "standby";
  }
  const pauseReplay = () => run(standby, "select pg_wal_replay_pause()");

  it("have what this process has written, at once, and come from the standby again", async () => {
    for (let count = 0; count < 30; count++) {
      const text = String(count).padStart(2, "0");
      await note(text);
      expect((await list()).at(-1)).toBe(text);
    }
    await expect.poll(readsFromStandby).toBe(true);
  });

  it("have what another process has written as soon as it is heard of", async () => {
    const other = openWith(standby.url);
    try {
      for (let count = 0; count < 10; count++) {
        const text = String(count);
        await note(text, other);
        await delay(30);
        expect(await list()).toContain(text);
      }
    } finally {
      await other.close();
    }
  });

  it("come from the primary while the standby is behind, by more than what is allowed or by a change", async () => {
    await pauseReplay();
    // Nothing is written, so nothing is missing.
    expect(await readsFromStandby()).toBe(true);
    await run(primary, "insert into note values ('from psql')");
    // No notice tells of it: the list may lack it for so long.
    await delay(MAX_LAG_MS + 100);
    expect(await list()).toEqual(["from psql"]);
    expect(reads.at(-1)).toBe("primary");
    const { host } = new URL(hole.through("postgres://test@x/"));
    expect(lags.get(host)).toBeGreaterThan(0);
    await run(standby, "select pg_wal_replay_resume()");
    await expect.poll(readsFromStandby).toBe(true);
    expect(lags.get(host)).toBe(0);
    await pauseReplay();
    await note("own");
    expect(await list()).toEqual(["from psql", "own"]);
    expect(reads.at(-1)).toBe("primary");
    await run(standby, "select pg_wal_replay_resume()");
  });

  it("come from the primary within a second where the standby is dead or silent, and from the standby again", async () => {
    standby.stop("immediate");
    const from = performance.now();
    expect(await list()).toEqual([]);
    expect(performance.now() - from).toBeLessThan(1000);
    expect(reads.at(-1)).toBe("primary");
    standby.start();
    await expect.poll(readsFromStandby, { timeout: 15_000 }).toBe(true);
    hole.open();
    const silentFrom = performance.now();
    expect(await list()).toEqual([]);
    expect(performance.now() - silentFrom).toBeLessThan(1000);
    hole.close();
    await expect.poll(readsFromStandby, { timeout: 15_000 }).toBe(true);
  });

  it("come from the primary where the server is a standby of another cluster", async () => {
    const elsewhere = await startPostgres();
    const stranger = await elsewhere.startStandby();
    const misled = openWith(stranger.url);
    try {
      await run(elsewhere, "create table note (text text)", "insert into note values ('of another cluster')");
      for (let count = 0; count < 10; count++) {
        const { rows } = await sql`select text from note`.execute(misled.forLists.tables());
        expect(rows).toEqual([]);
        await delay(50);
      }
    } finally {
      await misled.close();
      stranger.remove();
      elsewhere.remove();
    }
  });

  it("are not read from it in transactions, nor by other queries", async () => {
    const { rows } = await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(database.tables());
    expect(rows).toEqual([{ is: false }]);
    await database.transaction(async (transaction) => {
      const inside = await sql`select pg_is_in_recovery() as is`.execute(transaction.tables());
      expect(inside.rows).toEqual([{ is: false }]);
    });
  });

  it("come from the primary after the standby was promoted: it goes its own way", async () => {
    standby.promote();
    await run(standby, "insert into note values ('on a second primary')");
    expect(await list()).toEqual([]);
    expect(reads.at(-1)).toBe("primary");
  });
});

async function run({ url }: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
