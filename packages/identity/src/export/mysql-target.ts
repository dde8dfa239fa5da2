/** Writes to a Keystone's database on MariaDB or MySQL, in one transaction. */
import mysql from "mysql2";

import { mysqlOptions, typeCast } from "../import/source/mysql-source.js";
import type { SourceRow } from "../import/source/keystone-source.js";
import { ExportError } from "./export-errors.js";
import type { TargetConnection } from "./keystone-target.js";
import { PREPARATION } from "./sql-text.js";

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
