/** The schema of a Keystone's database, and whether it is a supported one. */
import { ImportError } from "../import-errors.js";
import type { TableTransfer } from "../table-transfer.js";
import { readAll, type KeystoneSource } from "./keystone-source.js";
import { isAbsent } from "./source-values.js";

/** Columns by table. */
export interface SourceSchema {
  readonly hasTable: (table: string) => boolean;
  readonly hasColumn: (table: string, column: string) => boolean;
}

export async function readSourceSchema(source: KeystoneSource): Promise<SourceSchema> {
  const columns = new Map<string, Set<string>>();
  const query = `select c.table_name as "table_name", c.column_name as "column_name"
    from information_schema.columns c where c.table_schema = ${source.schemaName}`;
  for (const { table_name: table, column_name: column } of await readAll(source, query)) {
    if (isAbsent(table) || isAbsent(column)) continue;
    columns.set(table, (columns.get(table) ?? new Set()).add(column));
  }
  return {
    hasTable: (table) => columns.has(table),
    hasColumn: (table, column) => columns.get(table)?.has(column) === true,
  };
}

/**
 * The Alembic revisions of the schema. Keystone has them since 2022 (Yoga).
 *
 * @throws {ImportError} It is not the schema of a Keystone 22 (Zed) or later: a column is missing.
 */
export async function checkSourceSchema(
  source: KeystoneSource,
  schema: SourceSchema,
  transfers: readonly TableTransfer[],
): Promise<readonly string[]> {
  if (!schema.hasTable("alembic_version"))
    throw new ImportError(
      "import/unknown-schema",
      `The database is not that of a Keystone 22 (Zed) or later: it has no table alembic_version${schema.hasTable("migrate_version") ? ", but migrate_version, as releases before Yoga: update Keystone first" : ""}`,
    );
  const missing = new Set(transfers.flatMap((transfer) => missingColumns(schema, transfer)));
  const rows = await readAll(source, `select a.version_num as "revision" from alembic_version a`);
  const revisions = rows.map(({ revision }) => revision ?? "").toSorted();
  if (missing.size > 0)
    throw new ImportError(
      "import/unknown-schema",
      `Keystone's schema ${revisions.join(", ")} lacks ${[...missing].join(", ")}: supported are those of Keystone 22 (Zed) to 2026.1`,
    );
  return revisions;
}

function missingColumns(schema: SourceSchema, { from, columns, uses = {} }: TableTransfer): string[] {
  const needed = Object.entries({ [from]: [], ...uses }).map(
    ([table, names]) => [table, table === from ? [...columns, ...names] : names] as const,
  );
  return needed.flatMap(([table, names]) =>
    names.filter((name) => !schema.hasColumn(table, name)).map((name) => `${table}.${name}`),
  );
}
