/** Where an export goes: a Keystone's database, or a file of SQL for one. All or nothing. */
import type { KeystoneSource } from "../import/source/keystone-source.js";
import { parseSourceAddress, type SourceAddress } from "../import/source/source-address.js";
import { checkSourceSchema, readSourceSchema } from "../import/source/source-schema.js";
import { readAll } from "../import/source/keystone-source.js";
import { ROOT_DOMAIN } from "../import/transfers/project-transfers.js";
import { TRANSFERS } from "../import/transfers/transfers.js";
import { ExportError } from "./export-errors.js";
import { openMysqlTarget } from "./mysql-target.js";
import { openPostgresTarget } from "./postgres-target.js";

/** MariaDB and MySQL, or PostgreSQL. */
export type TargetKind = SourceAddress["kind"];

/** Takes statements with names in double quotes and texts in single ones, without other escapes. */
export interface KeystoneTarget {
  readonly kind: TargetKind;
  readonly hasColumn: (table: string, column: string) => boolean;
  write(statement: string): Promise<void>;
  commit(): Promise<void>;
  /** Without `commit` nothing stays. */
  close(): Promise<void>;
}

/** A connection in a transaction. */
export type TargetConnection = Omit<KeystoneTarget, "hasColumn"> & KeystoneSource;

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
