/** Opens a Keystone's database for an export: of a known schema, and without rows. */
import { readAll } from "../import/source/keystone-source.js";
import { parseSourceAddress } from "../import/source/source-address.js";
import { checkSourceSchema, readSourceSchema } from "../import/source/source-schema.js";
import { ROOT_DOMAIN } from "../import/transfers/project-transfers.js";
import { TRANSFERS } from "../import/transfers/transfers.js";
import { ExportError } from "./export-errors.js";
import type { KeystoneTarget, TargetConnection } from "./keystone-target.js";
import { openMysqlTarget } from "./mysql-target.js";
import { openPostgresTarget } from "./postgres-target.js";

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
