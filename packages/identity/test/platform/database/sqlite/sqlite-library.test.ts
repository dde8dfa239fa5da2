/** Each SQLite library behaves the same behind the interface, and on each other's files. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  sqliteLibraries,
  type SqliteConnection,
} from "../../../../src/platform/database/sqlite/sqlite-library.js";

let folder: string;
let path: string;
const opened: SqliteConnection[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-sqlite-"));
  path = join(folder, "test.db");
});
afterEach(() => {
  for (const each of opened.splice(0)) if (each.isOpen) each.close();
  rmSync(folder, { recursive: true, force: true });
});

function codeOf(work: () => unknown): unknown {
  try {
    work();
    return "none";
  } catch (error) {
    return (error as { readonly code?: unknown }).code;
  }
}

it("Node has one from 24 on, which is preferred", () => {
  const isThere = Number(process.versions.node.split(".")[0]) >= 24;
  expect([...sqliteLibraries().keys()]).toEqual(isThere ? ["node", "libsql"] : ["libsql"]);
});

describe.each([...sqliteLibraries()])("with %s", (_name, library) => {
  function open(file = path): SqliteConnection {
    const connection = library(file);
    opened.push(connection);
    return connection;
  }

  it("values return as they were stored: whole numbers of 53 bits, fractions, texts, bytes, null", () => {
    const connection = open();
    connection.exec("create table kept (n integer, x real, t text, b blob, z text)");
    const most = Number.MAX_SAFE_INTEGER;
    const insert = connection.prepare("insert into kept values (?, ?, ?, ?, ?)");
    expect(insert.columns).toEqual([]);
    const text = "ä€😀\u0001";
    expect(insert.run(BigInt(-most), 0.1, text, Uint8Array.of(0, 255), null)).toBe(1);
    expect(insert.run(BigInt(most), 1e300, "", Uint8Array.of(), null)).toBe(1);
    const rows = connection.prepare("select n, x, t, z from kept").all();
    expect(rows).toEqual([
      { n: -most, x: 0.1, t: text, z: null },
      { n: most, x: 1e300, t: "", z: null },
    ]);
    const blobs = connection.prepare("select b from kept").all() as { readonly b: ArrayBuffer }[];
    expect(blobs.map(({ b }) => Array.from(new Uint8Array(b)))).toEqual([[0, 255], []]);
  });

  it("columns have their declared types, also of what a change returns", () => {
    const connection = open();
    connection.exec("create table kept (id text primary key, ok boolean, b blob)");
    const returning = connection.prepare("insert into kept values ('a', 1, x'00') returning ok, b, 1 as one");
    const types = returning.columns.map(({ name, type }) => [name, type?.toLowerCase() ?? null]);
    expect(types).toEqual([
      ["ok", "boolean"],
      ["b", "blob"],
      ["one", null],
    ]);
  });

  it("violations, wrong statements, files that can't be opened or written and other files have SQLite's codes", () => {
    const connection = open();
    connection.exec(
      "pragma foreign_keys = on; create table a (id text primary key, n integer unique); create table b (a text references a); insert into a values ('1', 1)",
    );
    const violations = [
      "insert into a values ('1', 2)",
      "insert into a values ('2', 1)",
      "insert into b values ('3')",
    ];
    expect(violations.map((sql) => codeOf(() => connection.prepare(sql).run()))).toEqual([
      "SQLITE_CONSTRAINT_PRIMARYKEY",
      "SQLITE_CONSTRAINT_UNIQUE",
      "SQLITE_CONSTRAINT_FOREIGNKEY",
    ]);
    expect(codeOf(() => connection.prepare("selec 1"))).toBe("SQLITE_ERROR");
    expect(() => open(join(folder, "missing", "test.db")).exec("pragma schema_version")).toThrow(/open/);
    const other = join(folder, "other");
    writeFileSync(other, "no database, whatever its name is".repeat(40));
    expect(codeOf(() => open(other).exec("pragma journal_mode = wal"))).toBe("SQLITE_NOTADB");
    connection.exec("pragma query_only = on");
    expect(codeOf(() => connection.exec("delete from b"))).toBe("SQLITE_READONLY");
  });

  it.skipIf(process.getuid?.() === 0)("a file without permission to write is read, and not changed", () => {
    open().exec("create table kept (id text)");
    chmodSync(path, 0o400);
    const connection = open();
    expect(connection.prepare("select * from kept").all()).toEqual([]);
    expect(codeOf(() => connection.exec("insert into kept values ('a')"))).toBe("SQLITE_READONLY");
  });

  it("a write lock of another connection is busy at once, and a statement after it works", () => {
    const [connection, other] = [open(), open()];
    connection.exec("pragma journal_mode = wal; create table kept (id text)");
    other.exec("begin immediate");
    expect(other.isInTransaction).toBe(true);
    expect(codeOf(() => connection.exec("begin immediate"))).toBe("SQLITE_BUSY");
    expect(connection.isInTransaction).toBe(false);
    other.exec("commit");
    connection.exec("begin immediate; insert into kept values ('a'); commit");
    expect(other.prepare("select id from kept").all()).toEqual([{ id: "a" }]);
  });

  it("a closed connection says so", () => {
    const connection = open();
    connection.close();
    expect(connection.isOpen).toBe(false);
  });

  it.each([...sqliteLibraries()])("its files are read and changed with %s", (_other, others) => {
    const connection = open();
    connection.exec("pragma journal_mode = wal; create table kept (id text); insert into kept values ('ä')");
    connection.close();
    const other = others(path);
    opened.push(other);
    other.exec("insert into kept values ('b')");
    expect(other.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    other.close();
    expect(open().prepare("select id from kept order by id").all()).toEqual([{ id: "b" }, { id: "ä" }]);
  });
});
