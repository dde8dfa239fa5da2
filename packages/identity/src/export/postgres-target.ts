/** Writes to a Keystone's database on PostgreSQL, in one transaction. */
import pg from "pg";

import type { SourceRow } from "../import/source/keystone-source.js";
import { ExportError } from "./export-errors.js";
import type { TargetConnection } from "./keystone-target.js";
import { PREPARATION } from "./sql-text.js";

const CONNECT_MS = 10_000;

export async function openPostgresTarget(url: string): Promise<TargetConnection> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    types: { getTypeParser: () => (text: unknown) => text },
  });
  // The error of a lost connection also fails the query.
  client.on("error", () => {});
  try {
    await client.connect();
    for (const statement of PREPARATION.postgres) await client.query(statement);
  } catch (error) {
    await client.end().catch(() => {});
    throw new ExportError("export/unreachable", "Keystone's database can't be written", { cause: error });
  }
  return {
    kind: "postgres",
    schemaName: "current_schema()",
    async *read(query) {
      yield (await client.query<SourceRow>(query)).rows;
    },
    async write(statement) {
      await client.query(statement);
    },
    async commit() {
      await client.query("commit");
    },
    close: () => client.end(),
  };
}
