/** Starts a PostgreSQL server for the tests if none answers at `TEST_POSTGRES_URL`, and drops what the tests leave on one that stays. */
import { randomBytes } from "node:crypto";

import { onServer, SCHEMA_PREFIX } from "../test/databases.js";
import { startPostgres } from "./postgres-server.js";

/** Vitest's global setup. @returns The teardown. */
export async function setup(): Promise<() => void | Promise<void>> {
  const prefix = `test_${randomBytes(4).toString("hex")}`;
  process.env[SCHEMA_PREFIX] = prefix;
  try {
    await onServer("select 1");
    return () => dropSchemas(prefix);
  } catch {
    const server = await startPostgres();
    process.env["TEST_POSTGRES_URL"] = server.url;
    return () => server.remove();
  }
}

/** One by one: a transaction that drops many needs more locks than a server has. */
async function dropSchemas(prefix: string): Promise<void> {
  const schemas = await onServer<{ name: string }>(
    `select nspname as name from pg_namespace where starts_with(nspname, '${prefix}')`,
  );
  for (const { name } of schemas) await onServer(`drop schema ${name} cascade`);
}
