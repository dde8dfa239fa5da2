/** PostgreSQL for tests: a schema of its own in the database that `TEST_POSTGRES_URL` names. */
import { randomUUID } from "node:crypto";

import pg from "pg";

import type { TestDatabases } from "../test/databases.js";

/** Asked when it is needed: `own-postgres.ts` may have started one meanwhile. */
function server(): string {
  return process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test";
}

/** A variable that is set where the server goes after the tests, and each schema with it. */
export const WHOLE_SERVER_GOES = "TEST_POSTGRES_GOES";

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
  if (process.env[WHOLE_SERVER_GOES] === undefined) await onServer(`drop schema ${schema} cascade`);
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
