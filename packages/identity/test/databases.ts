/** Databases for tests. A test that imports `databases` runs on each kind: on SQLite by itself, on PostgreSQL by vitest.system.config.ts. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";

/** A kind of database that tests run on. */
export interface TestDatabases {
  readonly name: string;
  /** An empty database, of the caller's own. */
  create(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** What `openDatabase` takes, as often as it likes. */
  readonly url: string;
  remove(): Promise<void>;
}

/** A file in a temporary folder. */
export const sqliteDatabases: TestDatabases = {
  name: "SQLite",
  async create() {
    const folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
    return {
      url: `sqlite:${join(folder, "identity.db")}`,
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

/** Read at each use: `own-postgres.ts` sets the variable when it has started a server. */
function server(): string {
  return process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test";
}

/** A variable that is set if the server is removed after the tests: dropping schemas would be wasted time. */
export const SERVER_IS_TEMPORARY = "TEST_POSTGRES_TEMPORARY";

/** A schema of its own in the database that `TEST_POSTGRES_URL` names. */
export const postgresDatabases: TestDatabases = {
  name: "PostgreSQL",
  async create() {
    const schema = `test_${randomUUID().replaceAll("-", "")}`;
    await onServer(`create schema ${schema}`);
    const url = new URL(server());
    url.searchParams.set("options", `-c search_path=${schema}`);
    return { url: url.href.replaceAll("+", "%20"), remove: () => drop(schema) };
  },
};

async function drop(schema: string): Promise<void> {
  if (process.env[SERVER_IS_TEMPORARY] === undefined) await onServer(`drop schema ${schema} cascade`);
}

/** Runs one statement on the server, outside of the code under test. */
export async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The kind of this run: PostgreSQL in the project of that name in vitest.system.config.ts, SQLite otherwise. */
export const databases: TestDatabases =
  process.env["TEST_DATABASE"] === "PostgreSQL" ? postgresDatabases : sqliteDatabases;
