/** Endpoint groups, and the endpoints and groups that projects are restricted to. */
import type { Kysely } from "kysely";

import type { ColumnTypes } from "../platform/database/database.js";
import type { Migration } from "../platform/database/migrate.js";

export const endpointFilters: Migration = {
  name: "0018-endpoint-filters",
  async up(database, types) {
    await database.schema
      .createTable("endpoint_group")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("description", types.text)
      .addColumn("filters", types.text, (column) => column.notNull())
      .execute();
    await createAssociation(database, types, "endpoint");
    await createAssociation(database, types, "endpoint_group");
  },
};

/** The table of projects and their endpoints, or groups. */
async function createAssociation(
  { schema }: Kysely<unknown>,
  types: ColumnTypes,
  target: "endpoint" | "endpoint_group",
): Promise<void> {
  const name = `project_${target}`;
  await schema
    .createTable(name)
    .addColumn("project_id", types.text, (column) =>
      column.notNull().references("project.id").onDelete("cascade"),
    )
    .addColumn(`${target}_id`, types.text, (column) =>
      column.notNull().references(`${target}.id`).onDelete("cascade"),
    )
    .addPrimaryKeyConstraint(`${name}_pkey`, ["project_id", `${target}_id`])
    .execute();
  await schema.createIndex(`${name}_of`).on(name).column(`${target}_id`).execute();
}
