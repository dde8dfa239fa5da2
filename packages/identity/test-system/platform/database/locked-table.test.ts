/** A locked table: requests that don't need it continue. */
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";

let place: TestDatabase;
let database: Database;
let locker: pg.Client;
beforeEach(async () => {
  place = await postgresDatabases.create();
  database = openDatabase(place.url);
  await sql`create table locked (text text)`.execute(database.tables());
  await sql`create table other (text text)`.execute(database.tables());
  locker = new pg.Client({ connectionString: place.url });
  await locker.connect();
});
afterEach(async () => {
  await locker.end();
  await database.close();
  await place.remove();
});

const readLocked = () => sql`select text from locked`.execute(database.tables());
const readOther = () => sql`select text from other`.execute(database.tables());
const isRefused = (work: Promise<unknown>) =>
  work.then(
    () => false,
    (error: unknown) => error instanceof DatabaseUnavailable,
  );

it("holds no more than a few connections after the first seconds, and checks are answered all the time", async () => {
  await locker.query("begin; lock table locked in access exclusive mode");
  const first = Promise.all(Array.from({ length: 30 }, () => isRefused(readLocked())));
  await expect
    .poll(() => database.impairments())
    .toEqual(["All database connections are in use: requests are waiting for one."]);
  expect(await first).toEqual(Array.from({ length: 30 }, () => true));

  // As long as requests for the table go on coming, others get through at once.
  const end = new AbortController();
  const requests = Array.from({ length: 20 }, async () => {
    while (!end.signal.aborted) {
      expect(await isRefused(readLocked())).toBe(true);
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  });
  const times: number[] = [];
  for (let count = 0; count < 20; count++) {
    const begin = performance.now();
    await readOther();
    times.push(performance.now() - begin);
  }
  expect(times.toSorted((one, other) => one - other)[10]).toBeLessThan(500);
  end.abort();
  await Promise.all(requests);

  await locker.query("rollback");
  await expect.poll(() => isRefused(readLocked())).toBe(false);
  expect(await Promise.all(Array.from({ length: 30 }, () => isRefused(readLocked())))).toEqual(
    Array.from({ length: 30 }, () => false),
  );
  expect(await database.impairments()).toEqual([]);
});
