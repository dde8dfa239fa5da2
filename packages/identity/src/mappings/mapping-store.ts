/** The questions that mappings ask of the database. */
import type { Selectable } from "kysely";

import type { Queries } from "../platform/database/database.js";
import { afterMarker, rowsWanted, type Page } from "../platform/http/lists/paging.js";
import type { SchemaVersion } from "./rules/rule-schema.js";

/** A mapping as it is stored. Its rules are known to compile. */
export interface StoredMapping {
  readonly id: string;
  readonly rules: readonly object[];
  readonly schemaVersion: SchemaVersion;
}

interface MappingRow {
  id: string;
  rules: string;
  schema_version: SchemaVersion;
}

interface Tables {
  readonly mapping: MappingRow;
}

/** Those that are on the page, and one more if there is another page. */
export async function listMappings(queries: Queries, page: Page): Promise<StoredMapping[]> {
  let query = queries
    .tables<Tables>()
    .selectFrom("mapping")
    .selectAll()
    .where((eb) => afterMarker(page, eb.ref("id")))
    .orderBy("id");
  const wanted = rowsWanted(page);
  if (wanted !== undefined) query = query.limit(wanted);
  return (await query.execute()).map(toMapping);
}

export async function findMapping(queries: Queries, id: string): Promise<StoredMapping | undefined> {
  const row = await queries
    .tables<Tables>()
    .selectFrom("mapping")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toMapping(row);
}

export async function insertMapping(queries: Queries, mapping: StoredMapping): Promise<void> {
  await queries.tables<Tables>().insertInto("mapping").values(toRow(mapping)).execute();
}

export async function updateMapping(queries: Queries, mapping: StoredMapping): Promise<void> {
  await queries
    .tables<Tables>()
    .updateTable("mapping")
    .set(toRow(mapping))
    .where("id", "=", mapping.id)
    .execute();
}

export async function deleteMapping(queries: Queries, id: string): Promise<void> {
  await queries.tables<Tables>().deleteFrom("mapping").where("id", "=", id).execute();
}

function toMapping({ id, rules, schema_version }: Selectable<MappingRow>): StoredMapping {
  return { id, rules: JSON.parse(rules) as object[], schemaVersion: schema_version };
}

function toRow({ id, rules, schemaVersion }: StoredMapping): MappingRow {
  return { id, rules: JSON.stringify(rules), schema_version: schemaVersion };
}
