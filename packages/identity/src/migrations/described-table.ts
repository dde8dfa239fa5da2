/** Shared columns and indexes of resource tables. */
import { sql, type CreateTableBuilder, type Kysely } from "kysely";

import type { ColumnTypes } from "../platform/database/database.js";

/** Starts a resource table with `id`, and `extra`: a JSON object of attributes unknown to the service. */
export function describedTable(
  { schema }: Kysely<unknown>,
  types: ColumnTypes,
  name: string,
): CreateTableBuilder<string> {
  return schema
    .createTable(name)
    .addColumn("id", types.text, (column) => column.primaryKey())
    .addColumn("extra", types.text, (column) => column.notNull());
}

/** Makes names unique per domain, and among rows without a domain. */
export async function uniqueNames({ schema }: Kysely<unknown>, table: string): Promise<void> {
  await schema
    .createIndex(`${table}_name_in_no_domain`)
    .unique()
    .on(table)
    .column("name")
    .where(sql<boolean>`domain_id is null`)
    .execute();
  await schema
    .createIndex(`${table}_name_in_domain`)
    .unique()
    .on(table)
    .columns(["domain_id", "name"])
    .where(sql<boolean>`domain_id is not null`)
    .execute();
}
