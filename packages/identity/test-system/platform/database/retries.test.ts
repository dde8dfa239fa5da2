/** Conflicts of transactions on PostgreSQL, and servers that have become read-only: retried, and counted. */
import { setTimeout as delay } from "node:timers/promises";

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../src/platform/database/database-errors.js";
import type { Database, Queries, RetryReason } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { postgresDatabases, type TestDatabase } from "../../../test/databases.js";

describe("transactions that conflict", () => {
  let place: TestDatabase;
  let database: Database;
  let retries: RetryReason[];
  beforeEach(async () => {
    place = await postgresDatabases.create();
    retries = [];
    database = openDatabase(place.url, { onRetry: (reason) => retries.push(reason) });
    await sql`create table account (id text primary key, amount integer)`.execute(database.tables());
    await sql`insert into account values ('a', 0), ('b', 0)`.execute(database.tables());
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  /** Waits until it has been called as often as this. */
  const gathering = (count: number) => {
    let [called, release] = [0, () => {}];
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    return () => {
      if (++called === count) release();
      return all;
    };
  };
  const add = (transaction: Queries, id: string) =>
    sql`update account set amount = amount + 1 where id = ${id}`.execute(transaction.tables());
  const amounts = async () => {
    const { rows } = await sql<{ amount: number }>`select amount from account order by id`.execute(
      database.tables(),
    );
    return rows.map(({ amount }) => amount);
  };

  it("are retried after a deadlock", async () => {
    const bothHoldOne = gathering(2);
    const transfer = (first: string, second: string) =>
      database.transaction(async (transaction) => {
        await add(transaction, first);
        await bothHoldOne();
        await add(transaction, second);
      });
    await Promise.all([transfer("a", "b"), transfer("b", "a")]);
    expect(await amounts()).toEqual([2, 2]);
    expect(retries).toContain("deadlock");
  });

  it("are retried after a serialization failure, and each counts", async () => {
    const allHaveRead = gathering(5);
    const increments = Array.from({ length: 5 }, () =>
      database.transaction(async (transaction) => {
        await sql`select amount from account`.execute(transaction.tables());
        await allHaveRead();
        await add(transaction, "a");
      }),
    );
    await Promise.all(increments);
    expect(await amounts()).toEqual([5, 0]);
    expect(new Set(retries)).toEqual(new Set(["serialization_failure"]));
  });

  it("all succeed, where thirty conflict with each other", async () => {
    const increments = Array.from({ length: 30 }, () =>
      database.transaction(async (transaction) => {
        await sql`select amount from account`.execute(transaction.tables());
        await delay(30);
        await add(transaction, "a");
      }),
    );
    await Promise.all(increments);
    expect(await amounts()).toEqual([30, 0]);
  }, 30_000);

  it("fail as unavailable after eight attempts and five seconds", async () => {
    const started = performance.now();
    const failing = database.transaction((transaction) =>
      sql`do $$ begin raise exception 'no' using errcode = '40001'; end $$`.execute(transaction.tables()),
    );
    await expect(failing).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(performance.now() - started).toBeGreaterThan(5000);
    expect(performance.now() - started).toBeLessThan(8000);
    expect(retries.length).toBeGreaterThan(8);
  }, 15_000);

  it("are retried a few times on a read-only server, then fail as unavailable", async () => {
    const readOnly = openDatabase(`${place.url}%20-c%20default_transaction_read_only=on`, {
      onRetry: (reason) => retries.push(reason),
    });
    try {
      await expect(readOnly.transaction((transaction) => add(transaction, "a"))).rejects.toBeInstanceOf(
        DatabaseUnavailable,
      );
      expect(retries).toEqual(["read_only", "read_only"]);
      expect(await amounts()).toEqual([0, 0]);
    } finally {
      await readOnly.close();
    }
  });
});
