/** Whatever fails on a SQLite file leaves the connection clean: it commits, and reads what other processes have committed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../../src/platform/database/database-errors.js";
import type { Database, Queries } from "../../../../src/platform/database/database.js";
import { openDatabase } from "../../../../src/platform/database/open-database.js";
import {
  openSqliteFile,
  type SqliteConnection,
} from "../../../../src/platform/database/sqlite/sqlite-library.js";

interface Tables {
  readonly item: { id: string; amount: number | null };
}

const tablesOf = (queries: Queries) => queries.tables<Tables>();
const insert = (queries: Queries, id: string, amount: number | null = 1) =>
  tablesOf(queries).insertInto("item").values({ id, amount }).execute();

describe("a connection to a SQLite file on which something failed", () => {
  let folder: string;
  let path: string;
  let other: SqliteConnection;
  let database: Database;
  let lastId = 0;
  const newId = () => `id${++lastId}`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    path = join(folder, "identity.db");
    database = openDatabase(`sqlite:${path}`);
    await sql`create table item (id text primary key, amount integer check (amount > 0))`.execute(
      database.tables(),
    );
    await insert(database, "first");
    other = openSqliteFile(path);
    other.exec("pragma busy_timeout = 2000");
  });
  afterAll(async () => {
    other.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A lock that outlasts the patience of the driver. */
  async function whileLocked(...works: readonly (() => Promise<unknown>)[]): Promise<void> {
    other.exec("begin immediate");
    const outcomes = await Promise.allSettled(works.map((work) => work()));
    other.exec("rollback");
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(DatabaseUnavailable) });
  }

  async function whileFull(work: () => Promise<unknown>): Promise<void> {
    const [{ page_count: pages } = { page_count: 0 }] = (
      await sql<{ page_count: number }>`pragma page_count`.execute(database.tables())
    ).rows;
    await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(database.tables());
    await expect(work()).rejects.toThrow(DatabaseUnavailable);
    await sql`pragma max_page_count = 1000000`.execute(database.tables());
  }

  const tooMuch = (queries: Queries) => insert(queries, "x".repeat(2_000_000));

  const failures: Readonly<Record<string, () => Promise<unknown>>> = {
    "a change with a full disk": () => whileFull(() => tooMuch(database)),
    "a transaction with a full disk": () => whileFull(() => database.transaction(tooMuch)),
    "a duplicate": () => expect(insert(database, "first")).rejects.toThrow(Error),
    "a duplicate in a transaction": () =>
      expect(database.transaction((transaction) => insert(transaction, "first"))).rejects.toThrow(Error),
    "a duplicate that the transaction survives": () =>
      database.transaction(async (transaction) => {
        await insert(transaction, newId());
        await insert(transaction, "first").catch(() => {});
      }),
    "a failed check": () => expect(insert(database, newId(), -1)).rejects.toThrow(Error),
    "values that can't be bound": () =>
      expect(sql`insert into item values (${{}}, 1)`.execute(database.tables())).rejects.toThrow(TypeError),
    "a statement that can't be parsed": () =>
      expect(sql`insert into nowhere values (1)`.execute(database.tables())).rejects.toThrow(Error),
    "a read that fails midway": () =>
      expect(
        sql`select json(case id when 'first' then '{}' else id end) from item`.execute(database.tables()),
      ).rejects.toThrow(Error),
    "a transaction that fails after its changes": () =>
      expect(
        database.transaction(async (transaction) => {
          await insert(transaction, newId());
          throw new Error("given up");
        }),
      ).rejects.toThrow("given up"),
    "a commit that fails": () =>
      expect(
        database.transaction(async (transaction) => {
          await insert(transaction, newId());
          await sql`rollback`.execute(transaction.tables());
        }),
      ).rejects.toThrow("no transaction"),
    "one of several parallel works that fails": async () => {
      const parallel = newId();
      await expect(
        database.transaction((transaction) =>
          Promise.all([
            insert(transaction, "first"),
            insert(transaction, newId()).then(() => insert(transaction, parallel)),
          ]),
        ),
      ).rejects.toThrow(Error);
      const written = tablesOf(database).selectFrom("item").selectAll().where("id", "=", parallel);
      expect(await written.execute()).toEqual([]);
    },
    "a transaction within a transaction": () =>
      expect(database.transaction((transaction) => sql`begin`.execute(transaction.tables()))).rejects.toThrow(
        Error,
      ),
  };

  /** What a broken connection can't do: see what others have committed, commit, and have others see it. */
  async function isClean(): Promise<boolean> {
    const theirs = newId();
    other.prepare("insert into item values (?, 1)").run(theirs);
    const ours = [newId(), newId()] as const;
    await insert(database, ours[0]);
    await database.transaction((transaction) => insert(transaction, ours[1]));
    const read = await tablesOf(database).selectFrom("item").select("id").where("id", "=", theirs).execute();
    expect(read).toEqual([{ id: theirs }]);
    const found = other.prepare("select id from item where id in (?, ?)").all(...ours);
    expect(found).toHaveLength(2);
    expect(other.prepare("pragma wal_checkpoint(truncate)").all()).toMatchObject([{ busy: 0 }]);
    return (await database.impairments()).length === 0;
  }

  it("is clean after changes while another process writes for long", async () => {
    await whileLocked(
      () => insert(database, newId()),
      () => tablesOf(database).insertInto("item").values({ id: newId(), amount: 1 }).returningAll().execute(),
      () => tablesOf(database).updateTable("item").set({ amount: 2 }).execute(),
      () => database.transaction((transaction) => insert(transaction, newId())),
    );
    expect(await isClean()).toBe(true);
  });

  it.each(Object.entries(failures))("is clean after %s", async (_name, fail) => {
    await fail();
    expect(await isClean()).toBe(true);
  });

  it("is clean after any of them, one after the other", async () => {
    const kinds = fc.array(fc.constantFrom(...Object.keys(failures)), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(kinds, async (names) => {
        for (const name of names) await failures[name]?.();
        expect(await isClean()).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("reads again, and what others have committed, after a process had the file for itself", async () => {
    const file = join(folder, "alone.db");
    const alone = openDatabase(`sqlite:${file}`);
    await sql`create table item (id text primary key, amount integer)`.execute(alone.tables());
    await insert(alone, "first");
    // SQLite gives no one the file for itself while another connection has it: this is what reads then get.
    const holder = spawn(process.execPath, ["--input-type=module", "--eval", HOLD, file], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(holder.stdout, "data");
    const ended = once(holder, "exit");
    holder.stdin.end();
    await ended;
    await insert(alone, "second");
    expect(await tablesOf(alone).selectFrom("item").select("id").orderBy("id").execute()).toEqual([
      { id: "first" },
      { id: "second" },
      { id: "theirs" },
    ]);
    await alone.close();
  });
});

/** A process that writes, and is killed while it holds the lock. */
const HOLD = `
import Libsql from "libsql";
const database = new Libsql(process.argv[1]);
database.exec("begin exclusive; insert into item values ('theirs', 1); commit; begin immediate");
process.stdout.write("held");
process.stdin.resume().on("end", () => process.kill(process.pid, "SIGKILL"));
`;
