/** Revisions: each kind of database reports changes, so that caches are invalidated in time. */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Database, Queries } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { databases, type TestDatabase } from "../../databases.js";
import { revisions, waitForStableRevision } from "./stable-revision.js";

interface Tables {
  readonly counter: { value: number };
}

let place: TestDatabase;
let database: Database;
let other: Database;
beforeEach(async () => {
  place = await databases.create();
  [database, other] = [openDatabase(place.url), openDatabase(place.url)];
  await sql`create table counter (value integer not null)`.execute(database.tables());
  await database.tables<Tables>().insertInto("counter").values({ value: 0 }).execute();
  await waitForStableRevision(database);
  await waitForStableRevision(other);
});
afterEach(async () => {
  await Promise.all([database.close(), other.close()]);
  await place.remove();
});

describe(`the revision on ${databases.name}`, () => {
  it("stays while nothing changes, also during a transaction and after what changes nothing", async () => {
    const before = revisions(database);
    await database.transaction(
      async (transaction) => {
        await increment(transaction);
        expect(revisions(database)).toEqual(before);
      },
      { changes: [] },
    );
    expect(revisions(database)).toEqual(before);
  });

  it("is another one as soon as this process has changed something of its kind", async () => {
    const before = revisions(database);
    await database.transaction(increment);
    const after = revisions(database);
    expect(after.facts).not.toBe(before.facts);
    expect(after.revocations).toBe(before.revocations);
    await database.transaction(increment, { changes: ["limits"] });
    expect(database.revision("limits")).not.toBe(before.limits);
  });

  it("is another one within a second of a change by another process, and stays from then on", async () => {
    const before = database.revision("facts");
    await other.transaction(increment);
    await expect.poll(() => database.revision("facts"), { timeout: 1000, interval: 5 }).not.toBe(before);
    await waitForStableRevision(database);
  });

  it("is another one after work alone", async () => {
    const before = revisions(database);
    await other.alone(increment);
    await expect
      .poll(() => database.revision("facts"), { timeout: 1000, interval: 5 })
      .not.toBe(before.facts);
  });

  it("stays when a change fails", async () => {
    const before = revisions(database);
    const failing = database.transaction(async (transaction) => {
      await increment(transaction);
      throw new RangeError("changed my mind");
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(revisions(database)).toEqual(before);
  });

  it("never stays the same across a change, if it is read before the data", async () => {
    let cached = { revision: Number.NaN, value: 0 };
    async function read(): Promise<number> {
      const revision = database.revision("facts");
      if (cached.revision === revision) return cached.value;
      const { value } = await database
        .tables<Tables>()
        .selectFrom("counter")
        .select("value")
        .executeTakeFirstOrThrow();
      cached = { revision, value };
      return value;
    }
    let committed = 0;
    const end = new AbortController();
    async function readAlways(): Promise<void> {
      while (!end.signal.aborted) {
        const least = committed;
        expect(await read()).toBeGreaterThanOrEqual(least);
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    }
    const readers = Array.from({ length: 4 }, readAlways);
    for (let change = 0; change < 50; change++) {
      await database.transaction(increment);
      committed++;
    }
    end.abort();
    await Promise.all(readers);

    await other.transaction(increment);
    await expect.poll(read, { timeout: 1000, interval: 5 }).toBe(51);
  });
});

async function increment(transaction: Queries): Promise<void> {
  await transaction
    .tables<Tables>()
    .updateTable("counter")
    .set((counter) => ({ value: counter("value", "+", 1) }))
    .execute();
}
