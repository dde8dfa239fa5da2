/**
 * SQLite itself: that of Node from 24 on, otherwise libsql. Both have one interface here, and SQLite's names of errors.
 *
 * That of Node reads a row in 8 microseconds instead of 13, and commits as fast; libsql goes with the support of Node 20. A process uses
 * one of them: closing a file in one drops the locks that the other has on it (POSIX).
 */
import { createRequire } from "node:module";

import type Libsql from "libsql";

/** An open file. */
export interface SqliteConnection {
  readonly isOpen: boolean;
  readonly isInTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export type SqliteValue = string | number | bigint | Uint8Array | null;

export interface SqliteStatement {
  /** Of its rows, with their declared types; none, if it returns no rows. */
  readonly columns: readonly { readonly name: string; readonly type: string | null }[];
  all(...values: readonly SqliteValue[]): unknown[];
  get(...values: readonly SqliteValue[]): unknown;
  /** @returns The number of changed rows. */
  run(...values: readonly SqliteValue[]): number;
}

/** What is used of `node:sqlite`. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    readonly isOpen: boolean;
    readonly isTransaction: boolean;
    exec(sql: string): void;
    prepare(sql: string): {
      columns(): SqliteStatement["columns"];
      all(...values: readonly SqliteValue[]): unknown[];
      get(...values: readonly SqliteValue[]): unknown;
      run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
    };
    close(): void;
  };
}

const require = createRequire(import.meta.url);

/** From this release on, Node has all of SQLite that is used here. */
const FIRST_NODE = 24;

/** By name, those that this release of Node has, the preferred one first. */
export function sqliteLibraries(): ReadonlyMap<string, (path: string) => SqliteConnection> {
  const libraries = new Map<string, (path: string) => SqliteConnection>();
  if (Number.parseInt(process.versions.node, 10) >= FIRST_NODE) {
    const library = process.getBuiltinModule("node:sqlite") as unknown as NodeSqlite;
    libraries.set("node", (path) => openWithNode(library, path));
  }
  return libraries.set("libsql", openWithLibsql);
}

/** Opens a file, or `:memory:`. Errors have a `code` such as `SQLITE_BUSY`. */
export function openSqliteFile(path: string): SqliteConnection {
  const [open = openWithLibsql] = sqliteLibraries().values();
  return open(path);
}

function openWithLibsql(path: string): SqliteConnection {
  const Library = require("libsql") as typeof Libsql;
  const database = new Library(path);
  return {
    get isOpen() {
      return database.open;
    },
    get isInTransaction() {
      return database.inTransaction;
    },
    exec: (sql) => void database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        columns: statement.reader ? statement.columns() : [],
        all: (...values) => statement.all(...values),
        get: (...values) => statement.get(...values),
        run: (...values) => statement.run(...values).changes,
      };
    },
    close: () => database.close(),
  };
}

function openWithNode({ DatabaseSync: Library }: NodeSqlite, path: string): SqliteConnection {
  const database = named(() => new Library(path));
  return {
    get isOpen() {
      return database.isOpen;
    },
    get isInTransaction() {
      return database.isTransaction;
    },
    exec: (sql) => named(() => database.exec(sql)),
    prepare: (sql) =>
      named(() => {
        const statement = database.prepare(sql);
        return {
          columns: statement.columns(),
          all: (...values: readonly SqliteValue[]) => named(() => statement.all(...values)),
          get: (...values: readonly SqliteValue[]) => named(() => statement.get(...values)),
          run: (...values: readonly SqliteValue[]) => named(() => Number(statement.run(...values).changes)),
        };
      }),
    close: () => database.close(),
  };
}

/** Result codes of SQLite by their numbers, those of constraints extended. @see https://www.sqlite.org/rescode.html */
const CODES: Readonly<Record<number, string>> = {
  3: "PERM",
  5: "BUSY",
  6: "LOCKED",
  7: "NOMEM",
  8: "READONLY",
  10: "IOERR",
  11: "CORRUPT",
  13: "FULL",
  14: "CANTOPEN",
  19: "CONSTRAINT",
  23: "AUTH",
  26: "NOTADB",
  787: "CONSTRAINT_FOREIGNKEY",
  1555: "CONSTRAINT_PRIMARYKEY",
  2067: "CONSTRAINT_UNIQUE",
};

/** Runs work, whose errors get the names of their codes. */
function named<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "errcode" in error) {
      const code = Number(error.errcode);
      Object.assign(error, { code: `SQLITE_${CODES[code] ?? CODES[code & 0xff] ?? "ERROR"}` });
    }
    throw error;
  }
}
