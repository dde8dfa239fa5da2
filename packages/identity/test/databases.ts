/**
 * Databases for tests. A test file that imports `databases` runs on both kinds: on SQLite in `npm test`, on PostgreSQL in the system
 * checks (vitest.system.config.ts). A test of one kind only imports `sqliteDatabases` or `postgresDatabases`.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import pg from "pg";

/** A kind of database that tests run on. */
export interface TestDatabases {
  readonly name: string;
  /** Whether each call of {@link create} returns the same database, which keeps its rows. */
  readonly isShared?: true;
  /** Creates an empty database for the caller alone. */
  create(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** For `openDatabase`, any number of times. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Where files need not wait for a disk at each commit. */
const FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A file in a temporary folder, in memory where the system has that. */
export const sqliteDatabases: TestDatabases = {
  name: "SQLite",
  async create() {
    const folder = await mkdtemp(join(FOLDER, "hamkit-identity-"));
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

/** Set by `own-postgres.ts`: how the names of this run's schemas begin, which it drops at the end. */
export const SCHEMA_PREFIX = "TEST_POSTGRES_PREFIX";

/** A schema of its own in the database that `TEST_POSTGRES_URL` names. */
export const postgresDatabases: TestDatabases = {
  name: "PostgreSQL",
  async create() {
    const schema = `${process.env[SCHEMA_PREFIX] ?? "test"}_${randomUUID().replaceAll("-", "")}`;
    await onServer(`create schema ${schema}`);
    const url = new URL(server());
    url.searchParams.set("options", `-c search_path=${schema}`);
    return {
      url: url.href.replaceAll("+", "%20"),
      remove: async () => void (await onServer(`drop schema ${schema} cascade`)),
    };
  },
};

/** Runs one statement on the server, outside of the code under test. @returns The rows. */
export async function onServer<Row extends object>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server() });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The kind that this run tests. */
export const databases: TestDatabases =
  process.env["TEST_DATABASE"] === "PostgreSQL" ? postgresDatabases : sqliteDatabases;

/** For real clients and recorded requests, which ask the same on both: one kind for each change, both in rehearsals. */
export function servedDatabases(usual: TestDatabases): readonly TestDatabases[] {
  const isRehearsal = process.env["TEST_DATABASE"] === "both";
  return isRehearsal ? [sqliteDatabases, postgresDatabases] : [usual];
}
