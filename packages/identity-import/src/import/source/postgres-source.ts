/** Reads a Keystone's database on PostgreSQL. */
import type pg from "pg";

import { messageOf } from "@hamkit/identity/import-support/command-line";

import { ImportError } from "../import-errors.js";
import { SOURCE_BATCH_ROWS, type KeystoneSource, type SourceRow } from "./keystone-source.js";
import { openPostgresClient } from "./postgres-client.js";

const PREPARATION = [
  "set statement_timeout = 0",
  "set idle_in_transaction_session_timeout = 0",
  "begin transaction isolation level repeatable read, read only",
];

export async function openPostgresSource(url: string): Promise<KeystoneSource> {
  const client = await openPostgresClient(url, PREPARATION).catch((error: unknown) => {
    throw new ImportError("import/unreachable", `Keystone's database can't be read: ${messageOf(error)}`, {
      cause: error,
    });
  });
  return {
    schemaName: "current_schema()",
    async *read(query) {
      await client.query(`declare source_rows no scroll cursor for ${query}`);
      for (let next = fetchBatch(client), isFull = true; isFull;) {
        const { rows } = await next;
        isFull = rows.length === SOURCE_BATCH_ROWS;
        // While the caller stores these rows.
        if (isFull) next = fetchBatch(client);
        if (rows.length > 0) yield rows;
      }
      await client.query("close source_rows");
    },
    close: () => client.end(),
  };
}

function fetchBatch(client: pg.Client): Promise<pg.QueryResult<SourceRow>> {
  const batch = client.query<SourceRow>(`fetch ${SOURCE_BATCH_ROWS} from source_rows`);
  // The caller may fail before it awaits the batch.
  batch.catch(() => {});
  return batch;
}
