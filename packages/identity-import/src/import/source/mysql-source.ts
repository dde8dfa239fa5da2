/** Reads a Keystone's database on MariaDB or MySQL. */
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";

import mysql from "mysql2";

import { messageOf } from "@hamkit/identity/import-support/command-line";

import { ImportError } from "../import-errors.js";
import { SOURCE_BATCH_ROWS, type KeystoneSource, type SourceRow } from "./keystone-source.js";

/** Names in double quotes, and a snapshot that rows can be read from for hours. */
const PREPARATION = [
  "set session sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT'",
  "set session net_write_timeout = 28800",
  "set session transaction isolation level repeatable read",
  "start transaction with consistent snapshot, read only",
];

const CONNECT_MS = 10_000;

export async function openMysqlSource(url: string): Promise<KeystoneSource> {
  const connection = mysql.createConnection(mysqlOptions(url));
  let lost: Error | undefined;
  let rows: Readable | undefined;
  // mysql2 does not pass the error of a lost connection to the stream of a query: it would never end.
  connection.on("error", (error) => {
    lost = error;
    rows?.destroy(error);
  });
  try {
    for (const statement of PREPARATION) await execute(connection, statement);
  } catch (error) {
    connection.destroy();
    throw new ImportError("import/unreachable", `Keystone's database can't be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return {
    schemaName: "database()",
    async *read(query) {
      if (lost !== undefined) throw lost;
      rows = connection.query({ sql: query, typeCast }).stream({ highWaterMark: SOURCE_BATCH_ROWS });
      let batch: SourceRow[] = [];
      for await (const row of rows as AsyncIterable<SourceRow>) {
        if (batch.push(row) < SOURCE_BATCH_ROWS) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    // Not `end`, which never calls back on a lost connection.
    async close() {
      connection.destroy();
    },
  };
}

/** Every value as text: dates without the time zone of this process, and whole numbers of any size. */
export function typeCast(field: { string(): string | null }): string | null {
  return field.string();
}

/** The parameters that keystone.conf uses: `charset`, which does not matter here, `unix_socket` and `ssl_ca`. */
export function mysqlOptions(text: string): mysql.ConnectionOptions {
  const url = new URL(text);
  const socketPath = url.searchParams.get("unix_socket");
  const authorities = url.searchParams.get("ssl_ca");
  return {
    host: url.hostname,
    port: url.port === "" ? 3306 : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    charset: "utf8mb4",
    connectTimeout: CONNECT_MS,
    ...(socketPath !== null && { socketPath }),
    ...(authorities !== null && { ssl: { ca: readFileSync(authorities) } }),
  };
}

function execute(connection: mysql.Connection, statement: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(statement, (error) => (error === null ? resolve() : reject(error)));
  });
}
