/** Migrations beside requests, on PostgreSQL. */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";

import { migrations } from "../../../src/migrations/migrations.js";
import type { Database } from "../../../src/platform/database/database.js";
import { migrate, type Migration } from "../../../src/platform/database/migrate.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { DEFAULT_CONNECTION_SETTINGS } from "../../../src/platform/database/postgres/connection-settings.js";
import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";

let place: TestDatabase;
let database: Database;
beforeEach(async () => {
  place = await postgresDatabases.create();
  database = openDatabase(place.url, { limits: { ...DEFAULT_CONNECTION_SETTINGS, statementMs: 400 } });
  await migrate(database, migrations);
});
afterEach(async () => {
  await database.close();
  await place.remove();
});

it("may take longer than statements of requests", async () => {
  const slow: Migration = {
    name: "9999-slow",
    up: async (queries) => void (await sql`select pg_sleep(1)`.execute(queries)),
  };
  expect(await migrate(database, [...migrations, slow])).toEqual(["9999-slow"]);
  await expect(sql`select pg_sleep(1)`.execute(database.tables())).rejects.toThrow(/unavailable/);
});

it("wait for those of other processes longer than for statements of requests", async () => {
  const slow: Migration = {
    name: "9999-slow",
    up: async (queries) => void (await sql`select pg_sleep(1)`.execute(queries)),
  };
  const other = openDatabase(place.url, { limits: { ...DEFAULT_CONNECTION_SETTINGS, statementMs: 400 } });
  const all = await Promise.all([database, other].map((each) => migrate(each, [...migrations, slow])));
  await other.close();
  expect(all.toSorted((one, two) => one.length - two.length)).toEqual([[], ["9999-slow"]]);
});

it("wait for a long reader without having requests wait behind them for long", async () => {
  const added: Migration = {
    name: "9999-column",
    up: async ({ schema }, types) => schema.alterTable("region").addColumn("added", types.text).execute(),
  };
  const reader = new pg.Client({ connectionString: place.url });
  await reader.connect();
  // As pg_dump does for as long as it runs.
  await reader.query("begin; lock table region in access share mode");
  let isMigrated = false;
  const migrating = migrate(database, [...migrations, added]).finally(() => (isMigrated = true));
  const requests = openDatabase(place.url);
  const waits: number[] = [];
  try {
    const until = performance.now() + 4000;
    while (performance.now() < until) {
      const begun = performance.now();
      await sql`select count(*) from region`.execute(requests.tables());
      waits.push(performance.now() - begun);
      await delay(20);
    }
    expect(isMigrated).toBe(false);
    await reader.query("rollback");
    expect(await migrating).toEqual(["9999-column"]);
  } finally {
    await requests.close();
    await reader.end();
  }
  // Less than the 3 s after which a request gets 503.
  expect(Math.max(...waits)).toBeLessThan(2500);
  // It did try, and some waited.
  expect(Math.max(...waits)).toBeGreaterThan(500);
});

it("create an index again that was left invalid", async () => {
  const index = { name: "region_made", table: "region", columns: ["description"] };
  const indexed: Migration = { name: "9999-index", indexes: [index], up: async () => {} };
  await sql`create index region_made on region (description)`.execute(database.tables());
  await sql`update pg_index set indisvalid = false where indexrelid = 'region_made'::regclass`.execute(
    database.tables(),
  );
  await migrate(database, [...migrations, indexed]);
  const { rows } =
    await sql`select indisvalid as valid from pg_index where indexrelid = 'region_made'::regclass`.execute(
      database.tables(),
    );
  expect(rows).toEqual([{ valid: true }]);
});
