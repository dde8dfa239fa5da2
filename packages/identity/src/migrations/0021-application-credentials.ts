/** Application credentials, their roles and access rules. */
import type { Kysely } from "kysely";

import type { ColumnTypes } from "../platform/database/database.js";
import type { Migration } from "../platform/database/migrate.js";

export const applicationCredentials: Migration = {
  name: "0021-application-credentials",
  async up(database, types) {
    await createCredentials(database, types);
    await createAccessRules(database, types);
    await createLinks(database, types, { table: "application_credential_role", to: "role" });
    await createLinks(database, types, { table: "application_credential_access_rule", to: "access_rule" });
  },
};

async function createCredentials({ schema }: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("application_credential")
    .addColumn("id", types.text, (column) => column.primaryKey())
    .addColumn("name", types.text, (column) => column.notNull())
    .addColumn("secret_hash", types.text, (column) => column.notNull())
    .addColumn("description", types.text)
    .addColumn("user_id", types.text, (column) => column.notNull().references("user.id").onDelete("cascade"))
    .addColumn("project_id", types.text, (column) =>
      column.notNull().references("project.id").onDelete("cascade"),
    )
    .addColumn("system", types.text)
    // UTC with microseconds, as in responses.
    .addColumn("expires_at", types.text)
    .addColumn("unrestricted", types.boolean)
    .addUniqueConstraint("application_credential_name", ["user_id", "name"])
    .execute();
  await schema
    .createIndex("application_credential_project")
    .on("application_credential")
    .column("project_id")
    .execute();
}

async function createAccessRules({ schema }: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("access_rule")
    .addColumn("id", types.text, (column) => column.primaryKey())
    .addColumn("user_id", types.text, (column) => column.notNull().references("user.id").onDelete("cascade"))
    .addColumn("service", types.text, (column) => column.notNull())
    .addColumn("path", types.text, (column) => column.notNull())
    .addColumn("method", types.text, (column) => column.notNull())
    .addUniqueConstraint("access_rule_request", ["user_id", "service", "path", "method"])
    .execute();
}

async function createLinks(
  { schema }: Kysely<unknown>,
  types: ColumnTypes,
  { table, to }: { readonly table: string; readonly to: string },
): Promise<void> {
  await schema
    .createTable(table)
    .addColumn("application_credential_id", types.text, (column) =>
      column.notNull().references("application_credential.id").onDelete("cascade"),
    )
    .addColumn(`${to}_id`, types.text, (column) =>
      column.notNull().references(`${to}.id`).onDelete("cascade"),
    )
    .addPrimaryKeyConstraint(`${table}_pkey`, ["application_credential_id", `${to}_id`])
    .execute();
  await schema.createIndex(`${table}_${to}`).on(table).column(`${to}_id`).execute();
}
