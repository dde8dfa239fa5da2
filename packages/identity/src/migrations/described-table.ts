/** What all tables of resources have in common. */
import { sql, type CreateTableBuilder, type Kysely } from "kysely";

import type { ColumnTypes } from "../platform/database/database.js";

/** Begins a table of resources: each has an id, and attributes that only its clients know, as a JSON object. */
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

/** Makes names unique within a domain, and, among what is in no domain, everywhere. */
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
