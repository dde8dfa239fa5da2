import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { DatabaseUnavailable } from "../../../../src/platform/database/database-errors.js";
import { migrate } from "../../../../src/platform/database/migrate.js";
import { openDatabase } from "../../../../src/platform/database/open-database.js";
import { sqliteDatabases } from "../../../databases.js";
import { openSqliteFile } from "../../../../src/platform/database/sqlite/sqlite-library.js";

interface Tables {
  readonly schema_migration: { readonly name: string };
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("a SQLite file", () => {
  it("is made with its folder, for its owner alone", () =>
    inFolder(async (folder) => {
      const path = join(folder, "new", "identity.db");
      const database = openDatabase(`sqlite:${path}`);
      await migrate(database, []);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
      await database.close();
      expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    }));

  // These two wait for some seconds.
  it.concurrent("that another process writes to for too long is unavailable", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      const database = openDatabase(`sqlite:${path}`);
      const other = openSqliteFile(path);
      other.exec("begin immediate");
      await expect(database.transaction(() => Promise.resolve())).rejects.toBeInstanceOf(DatabaseUnavailable);
      other.exec("rollback");
      await database.transaction(() => Promise.resolve());
      other.close();
      await database.close();
    }));

  it.concurrent(
    "that another process locks is waited for by a migration, which is reported once",
    () =>
      inFolder(async (folder) => {
        const path = join(folder, "identity.db");
        const other = openSqliteFile(path);
        other.exec("pragma journal_mode = wal");
        other.exec("begin immediate");
        let waits = 0;
        const onMigrationWait = () => {
          waits++;
          // Longer than a request would wait.
          setTimeout(() => other.exec("rollback"), 1000);
        };
        const database = openDatabase(`sqlite:${path}`, { onMigrationWait });
        expect(await migrate(database, [{ name: "0001-first", up: () => Promise.resolve() }])).toEqual([
          "0001-first",
        ]);
        expect(waits).toBe(1);
        other.close();
        await database.close();
      }),
    30_000,
  );

  it("that another process locks delays no start without migrations", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      const database = openDatabase(`sqlite:${path}`, { onMigrationWait: () => expect.fail("it waits") });
      await migrate(database, []);
      const other = openSqliteFile(path);
      other.exec("begin immediate");
      expect(await migrate(database, [])).toEqual([]);
      other.close();
      await database.close();
    }));

  it("yields to other requests within a transaction of thousands of statements", () =>
    inFolder(async (folder) => {
      const database = openDatabase(`sqlite:${join(folder, "identity.db")}`);
      await migrate(database, []);
      let turns = 0;
      let isRunning = true;
      const turn = () => {
        turns++;
        if (isRunning) setImmediate(turn);
      };
      await database.transaction(async (transaction) => {
        setImmediate(turn);
        for (let times = 0; times < 3000; times++)
          await transaction.tables<Tables>().selectFrom("schema_migration").selectAll().execute();
      });
      isRunning = false;
      // Without a bound there is none.
      expect(turns).toBeGreaterThan(1);
      await database.close();
    }));

  it("keeps the mode that it has", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      await writeFile(path, "");
      await chmod(path, 0o640);
      await openDatabase(`sqlite:${path}`).close();
      expect(statSync(path).mode & 0o777).toBe(0o640);
    }));

  it("that is something else is refused at once", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      await writeFile(path, "This is a letter, not a database. ".repeat(100));
      expect(() => openDatabase(`sqlite:${path}`)).toThrow(DatabaseUnavailable);
      expect(() => openDatabase(`sqlite:${folder}`)).toThrow(DatabaseUnavailable);
    }));

  it("is read before the transactions that are queued, and accepts connections between them", () =>
    inFolder(async (folder) => {
      const database = openDatabase(`sqlite:${join(folder, "identity.db")}`);
      const tables = database.tables<{ readonly thing: { readonly id: number } }>();
      await tables.schema.createTable("thing").addColumn("id", "integer").execute();
      const done: string[] = [];
      const write = (id: number) =>
        database
          .transaction(async (transaction) => {
            await transaction
              .tables<{ readonly thing: { readonly id: number } }>()
              .insertInto("thing")
              .values({ id })
              .execute();
            // Longer than SQLite may have the event loop for itself.
            const end = performance.now() + 6;
            while (performance.now() < end);
          })
          .then(() => done.push("write"));
      const turn = () => new Promise((resolve) => setImmediate(resolve));
      const writes = Array.from({ length: 40 }, (_, id) => write(id));
      for (let request = 0; request < 5; request++) {
        await turn();
        await tables.selectFrom("thing").select("id").limit(1).execute();
        done.push("read");
      }
      // As one turn, or as one queue, all 40 writes came first.
      expect(done.filter((kind) => kind === "write").length).toBeLessThanOrEqual(20);
      await Promise.all(writes);
      expect(await tables.selectFrom("thing").select("id").execute()).toHaveLength(40);
      await database.close();
    }));

  it("is read while another process writes to it, although a transaction waits", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      const database = openDatabase(`sqlite:${path}`);
      await migrate(database, []);
      const other = openSqliteFile(path);
      other.exec("begin immediate");
      let hasWritten = false;
      const write = database.transaction(async () => {}).then(() => (hasWritten = true));
      for (let times = 0; times < 20; times++) await database.ping();
      expect(hasWritten).toBe(false);
      other.exec("commit");
      await write;
      other.close();
      await database.close();
    }));

  it("waits for another process that writes without blocking the event loop", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      const database = openDatabase(`sqlite:${path}`);
      const other = openSqliteFile(path);
      other.exec("begin immediate");
      let ticks = 0;
      const ticking = setInterval(() => ticks++, 5);
      setTimeout(() => other.exec("rollback"), 200);
      expect(await migrate(database, [])).toEqual([]);
      clearInterval(ticking);
      expect(ticks).toBeGreaterThan(5);
      other.close();
      await database.close();
    }));

  it("is known to be readable at once while requests wait for another process that writes", () =>
    inFolder(async (folder) => {
      const path = join(folder, "identity.db");
      const database = openDatabase(`sqlite:${path}`);
      const other = openSqliteFile(path);
      other.exec("begin immediate");
      const waiting = database.transaction(() => Promise.resolve());
      expect(await Promise.race([database.impairments(), waiting.then(() => "late")])).toEqual([]);
      other.exec("rollback");
      await waiting;
      other.close();
      await database.close();
      await expect(database.impairments()).rejects.toThrow(/not open|closed|finalized/);
    }));

  it("can be held in memory", async () => {
    const database = openDatabase("sqlite::memory:");
    expect(await migrate(database, [])).toEqual([]);
    await database.close();
  });
});

describe("openDatabase", () => {
  it.each(["mysql://localhost/x", "identity.db", ""])("knows no database of the address %j", (url) => {
    expect(() => openDatabase(url)).toThrow("a database is sqlite:PATH or postgres://...");
  });
});

describe("the revision of a SQLite file", () => {
  it("is another one in the next turn when another process has written to the SQLite file", async () => {
    const place = await sqliteDatabases.create();
    const database = openDatabase(place.url);
    const before = database.revision("revocations");
    const path = place.url.replace("sqlite:", "");
    const script = `new (require("libsql"))(${JSON.stringify(path)}).exec("create table star (id text)")`;
    const { status } = spawnSync(process.execPath, ["--eval", script], { cwd: import.meta.dirname });
    expect(status).toBe(0);
    // Within the turn that asked before, nothing has been heard of it yet.
    await nextTurn();
    expect(database.revision("revocations")).not.toBe(before);
    await database.close();
    await place.remove();
  });

  it("stays while another process holds the SQLite file and commits nothing", async () => {
    const place = await sqliteDatabases.create();
    const database = openDatabase(place.url);
    const other = openSqliteFile(place.url.replace("sqlite:", ""));
    other.exec("begin exclusive");
    const before = database.revision("facts");
    expect(database.revision("facts")).toBe(before);
    other.exec("rollback");
    other.close();
    await database.close();
    await place.remove();
  });
});
