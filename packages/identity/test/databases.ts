/**
 * Databases for tests. A test file that imports `databases` runs on both kinds: on SQLite in `npm test`, on PostgreSQL in the system
 * checks (vitest.system.config.ts). A test of one kind only imports `sqliteDatabases` or `postgresDatabases`.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";

/** A kind of database that tests run on. */
export interface TestDatabases {
  readonly name: string;
  /** Creates an empty database for the caller alone. */
  create(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** For `openDatabase`, any number of times. */
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

/** Read at each use: `own-postgres.ts` sets the variable after it has started a server. */
function server(): string {
  return process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test";
}

/** Set by `own-postgres.ts` for a server that is removed after the tests: schemas need not be dropped. */
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

/** The kind that this run tests. */
export const databases: TestDatabases =
  process.env["TEST_DATABASE"] === "PostgreSQL" ? postgresDatabases : sqliteDatabases;
