import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { DatabaseUnavailable, OutcomeUnknown } from "../../../../src/platform/database/database-errors.js";
import type { Database, Queries } from "../../../../src/platform/database/database.js";
import { openDatabase } from "../../../../src/platform/database/open-database.js";
import { openSqliteFile } from "../../../../src/platform/database/sqlite/sqlite-library.js";

interface Tables {
  readonly item: { id: string };
}

const insert = (queries: Queries, id: string) =>
  queries.tables<Tables>().insertInto("item").values({ id }).execute();

describe("a SQLite file that was replaced or deleted while it is open", () => {
  let folder: string;
  let data: string;
  let path: string;
  let database: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
    data = join(folder, "data");
    mkdirSync(data);
    symlinkSync(data, join(folder, "link"));
    path = join(folder, "link", "identity.db");
    database = openDatabase(`sqlite:${path}`);
    await sql`create table item (id text primary key)`.execute(database.tables());
    await insert(database, "before");
    await sql`pragma wal_checkpoint(truncate)`.execute(database.tables());
    copyFileSync(path, join(folder, "copy.db"));
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const replacements: Readonly<Record<string, () => { file: string; event: string }>> = {
    "a restored copy was moved over it": () => {
      renameSync(join(folder, "copy.db"), path);
      return { file: "identity.db", event: "was replaced by another file" };
    },
    "it was deleted": () => {
      unlinkSync(path);
      return { file: "identity.db", event: "was deleted or moved" };
    },
    "it was moved away": () => {
      renameSync(path, join(folder, "aside.db"));
      return { file: "identity.db", event: "was deleted or moved" };
    },
    "its log was deleted": () => {
      unlinkSync(`${path}-wal`);
      return { file: "identity.db-wal", event: "was deleted or moved" };
    },
    "its log was replaced": () => {
      copyFileSync(`${path}-wal`, join(folder, "copy-wal"));
      renameSync(join(folder, "copy-wal"), `${path}-wal`);
      return { file: "identity.db-wal", event: "was replaced by another file" };
    },
    "the log's index was deleted": () => {
      unlinkSync(`${path}-shm`);
      return { file: "identity.db-shm", event: "was deleted or moved" };
    },
    "its folder was moved away": () => {
      renameSync(data, join(folder, "aside"));
      return { file: "identity.db", event: "was deleted or moved" };
    },
    "its folder was replaced": () => {
      renameSync(data, join(folder, "aside"));
      mkdirSync(data);
      copyFileSync(join(folder, "copy.db"), path);
      return { file: "identity.db", event: "was replaced by another file" };
    },
    "its folder became a file": () => {
      renameSync(data, join(folder, "aside"));
      writeFileSync(data, "");
      return { file: "identity.db", event: "was deleted or moved" };
    },
    "a link to its folder leads elsewhere": () => {
      mkdirSync(join(folder, "elsewhere"));
      copyFileSync(join(folder, "copy.db"), join(folder, "elsewhere", "identity.db"));
      unlinkSync(join(folder, "link"));
      symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
      return { file: "identity.db", event: "was replaced by another file" };
    },
  };

  it.each(Object.entries(replacements))(
    "refuses changes after %s, and says what to do",
    async (_name, replace) => {
      const { file, event } = replace();
      const reason = expect.stringMatching(new RegExp(`${file} ${event}.*restart the service`));
      const refused = { name: "DatabaseUnavailable", cause: { message: reason } };
      await expect(insert(database, "lost")).rejects.toMatchObject(refused);
      await expect(database.transaction((transaction) => insert(transaction, "lost"))).rejects.toMatchObject(
        refused,
      );
      await expect(database.impairments()).rejects.toMatchObject({ kind: "unavailable", message: reason });
      const rows = await database.tables<Tables>().selectFrom("item").selectAll().execute();
      expect(rows).toEqual([{ id: "before" }]);
    },
  );

  it("does not confirm a change that was made when it was replaced", async () => {
    const outcome = database.transaction(async (transaction) => {
      await insert(transaction, "lost");
      unlinkSync(path);
    });
    await expect(outcome).rejects.toThrow(OutcomeUnknown);
  });

  it("accepts changes once it is back", async () => {
    renameSync(path, join(folder, "aside.db"));
    await expect(insert(database, "lost")).rejects.toThrow(DatabaseUnavailable);
    renameSync(join(folder, "aside.db"), path);
    await insert(database, "after");
    expect(await database.impairments()).toEqual([]);
  });

  it("does not lose the log of the file that is there now when the former one is closed", async () => {
    renameSync(path, join(folder, "aside.db"));
    renameSync(`${path}-wal`, join(folder, "aside.db-wal"));
    renameSync(`${path}-shm`, join(folder, "aside.db-shm"));
    renameSync(join(folder, "copy.db"), path);
    const current = openDatabase(`sqlite:${path}`);
    await insert(current, "current");
    const { size } = statSync(`${path}-wal`);
    await database.close();
    expect(statSync(`${path}-wal`).size).toBe(size);
    await current.close();
  });

  it("is not taken for replaced by its own growth, checkpoints and other processes", async () => {
    const other = openDatabase(`sqlite:${path}`);
    for (let at = 0; at < 50; at++) {
      await insert(database, `ours ${at} ${"x".repeat(100_000)}`);
      await insert(other, `theirs ${at}`);
    }
    await sql`pragma wal_checkpoint(truncate)`.execute(database.tables());
    await other.close();
    await insert(database, "after");
    expect(await database.impairments()).toEqual([]);
  });
});

describe("the log of a SQLite file", () => {
  it("shrinks after the end of a long read that made it grow", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hamkit-identity-"));
    const path = join(folder, "identity.db");
    const database = openDatabase(`sqlite:${path}`);
    await sql`create table item (id text primary key)`.execute(database.tables());
    await insert(database, "before");
    const size = () => statSync(`${path}-wal`).size / 2 ** 20;
    const reader = openSqliteFile(path);
    reader.exec("begin; select * from item");
    reader.prepare("select * from item").all();
    for (let at = 0; at < 40; at++) await insert(database, `${at} ${"x".repeat(400_000)}`);
    expect(size()).toBeGreaterThan(15);
    reader.exec("commit");
    await insert(database, "after");
    await insert(database, "later");
    expect(size()).toBeLessThanOrEqual(8);
    reader.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
