/** Writes to a Keystone's database, of a known schema and without rows, in one transaction. */
import mysql from "mysql2";

import { readAll, type SourceRow } from "../import/source/keystone-source.js";
import { mysqlOptions, typeCast } from "../import/source/mysql-source.js";
import { openPostgresClient } from "../import/source/postgres-client.js";
import { parseSourceAddress } from "../import/source/source-address.js";
import { checkSourceSchema, readSourceSchema } from "../import/source/source-schema.js";
import { ROOT_DOMAIN } from "../import/transfers/project-transfers.js";
import { TRANSFERS } from "../import/transfers/transfers.js";
import { ExportError } from "./export-errors.js";
import type { KeystoneTarget, TargetConnection } from "./keystone-target.js";
import { PREPARATION } from "./sql-text.js";

/**
 * Connects to a Keystone's database.
 *
 * @throws {ImportError} The address is malformed, or the schema is not that of a Keystone 22 or later.
 * @throws {ExportError} The database can't be reached, or has rows.
 */
export async function openDatabaseTarget(url: string): Promise<KeystoneTarget> {
  const address = parseSourceAddress(url);
  const connection = await (address.kind === "mysql" ? openMysqlTarget : openPostgresTarget)(address.url);
  try {
    const schema = await readSourceSchema(connection);
    await checkSourceSchema(connection, schema, TRANSFERS);
    await checkEmpty(connection);
    return { ...connection, hasColumn: schema.hasColumn };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** `keystone-manage db_sync` makes one row, the domain of all domains. */
async function checkEmpty(connection: TargetConnection): Promise<void> {
  for (const table of new Set(TRANSFERS.map(({ from }) => from))) {
    const others = table === "project" ? ` where t.id <> '${ROOT_DOMAIN}'` : "";
    const rows = await readAll(connection, `select 1 as "found" from "${table}" t${others} limit 1`);
    if (rows.length > 0)
      throw new ExportError(
        "export/not-empty",
        `Keystone's table ${table} has rows: expected a new database, with which only keystone-manage db_sync has run, not bootstrap`,
      );
  }
}

/** MariaDB or MySQL. */
export async function openMysqlTarget(url: string): Promise<TargetConnection> {
  const connection = mysql.createConnection(mysqlOptions(url));
  // The error of a lost connection also fails the query.
  connection.on("error", () => {});
  const run = (statement: string) =>
    new Promise<SourceRow[]>((resolve, reject) => {
      connection.query({ sql: statement, typeCast }, (error, rows) =>
        error === null ? resolve(rows as SourceRow[]) : reject(error),
      );
    });
  try {
    for (const statement of PREPARATION.mysql) await run(statement);
  } catch (error) {
    connection.destroy();
    throw new ExportError("export/unreachable", "Keystone's database can't be written", { cause: error });
  }
  return {
    kind: "mysql",
    schemaName: "database()",
    async *read(query) {
      yield await run(query);
    },
    async write(statement) {
      await run(statement);
    },
    async commit() {
      await run("commit");
    },
    // Not `end`, which never calls back on a lost connection.
    async close() {
      connection.destroy();
    },
  };
}

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
