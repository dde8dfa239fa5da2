/** Writes to a Keystone's database on PostgreSQL, in one transaction. */
import type { SourceRow } from "../import/source/keystone-source.js";
import { openPostgresClient } from "../import/source/postgres-client.js";
import { ExportError } from "./export-errors.js";
import type { TargetConnection } from "./keystone-target.js";
import { PREPARATION } from "./sql-text.js";

export async function openPostgresTarget(url: string): Promise<TargetConnection> {
  const client = await openPostgresClient(url, PREPARATION.postgres).catch((error: unknown) => {
    throw new ExportError("export/unreachable", "Keystone's database can't be written", { cause: error });
  });
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
