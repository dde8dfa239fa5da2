/** What an import from Keystone needs: assignments of actors without a row, trusts without a project, and a record of the imported rows. */
import { sql, type Kysely } from "kysely";

import type { ColumnTypes } from "../platform/database/database.js";
import type { Migration } from "../platform/database/migrate.js";

export const keystoneImport: Migration = {
  name: "0024-keystone-import",
  async up(database, types) {
    await freeAssignments(database, types);
    await freeTrusts(database, types);
    await createDirectoryTables(database, types);
    await createRecord(database, types);
  },
};

const ASSIGNMENT = sql`user_id, group_id, target_kind, target_id, role_id, is_inherited`;

/** Drops the foreign keys of the actors: as in Keystone, they may be deleted, or belong to an LDAP directory. */
async function freeAssignments(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { schema } = database;
  await schema.alterTable("assignment").renameTo("former_assignment").execute();
  await schema
    .createTable("assignment")
    .addColumn("user_id", types.text)
    .addColumn("group_id", types.text)
    .addColumn("target_kind", types.text, (column) => column.notNull())
    .addColumn("target_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
    .addColumn("role_id", types.text, (column) => column.notNull().references("role.id").onDelete("cascade"))
    .addColumn("is_inherited", types.boolean, (column) => column.notNull())
    .addCheckConstraint("assignment_actor", sql`(user_id is null) <> (group_id is null)`)
    .addCheckConstraint("assignment_target", sql`(target_kind = 'system') = (target_id is null)`)
    .execute();
  await sql`insert into assignment (${ASSIGNMENT}) select ${ASSIGNMENT} from former_assignment`.execute(
    database,
  );
  // With its indexes, whose names are free then.
  await schema.dropTable("former_assignment").execute();
  await schema
    .createIndex("assignment_key")
    .unique()
    .on("assignment")
    .expression(sql`coalesce(user_id, group_id)`)
    .column("target_kind")
    .expression(sql`coalesce(target_id, '')`)
    .columns(["role_id", "is_inherited"])
    .execute();
  await schema
    .createIndex("assignment_position")
    .unique()
    .on("assignment")
    .expression(
      sql`(target_kind || '/' || coalesce(target_id, '') || '/' || coalesce(user_id, '') || '/' || coalesce(group_id, '') || '/' || role_id || '/' || case when is_inherited then '1' else '0' end)`,
    )
    .execute();
  for (const column of ["user_id", "group_id", "target_id", "role_id"])
    await schema.createIndex(`assignment_${column}`).on("assignment").column(column).execute();
}

const TRUST = sql`id, trustor_user_id, trustee_user_id, project_id, impersonation, expires_at, remaining_uses, redelegation_count, redelegated_trust_id, deleted_at, extra`;

/** Keystone has trusts without a project, which give no token. SQLite can't change a column: the tables are made anew. */
async function freeTrusts(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("next_trust")
    .addColumn("id", types.text, (column) => column.primaryKey())
    .addColumn("trustor_user_id", types.text, (column) =>
      column.notNull().references("user.id").onDelete("cascade"),
    )
    .addColumn("trustee_user_id", types.text, (column) =>
      column.notNull().references("user.id").onDelete("cascade"),
    )
    .addColumn("project_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
    .addColumn("impersonation", types.boolean, (column) => column.notNull())
    .addColumn("expires_at", types.moment)
    .addColumn("remaining_uses", types.integer)
    .addColumn("redelegation_count", types.integer, (column) => column.notNull())
    .addColumn("redelegated_trust_id", types.text, (column) =>
      column.references("next_trust.id").onDelete("cascade"),
    )
    .addColumn("deleted_at", types.moment)
    .addColumn("extra", types.text, (column) => column.notNull())
    .execute();
  await sql`insert into next_trust (${TRUST}) select ${TRUST} from trust`.execute(database);
  await schema
    .createTable("next_trust_role")
    .addColumn("trust_id", types.text, (column) =>
      column.notNull().references("next_trust.id").onDelete("cascade"),
    )
    .addColumn("role_id", types.text, (column) => column.notNull())
    .addPrimaryKeyConstraint("next_trust_role_pkey", ["trust_id", "role_id"])
    .execute();
  await sql`insert into next_trust_role (trust_id, role_id) select trust_id, role_id from trust_role`.execute(
    database,
  );
  await schema.dropTable("trust_role").execute();
  await schema.dropTable("trust").execute();
  await schema.alterTable("next_trust").renameTo("trust").execute();
  await schema.alterTable("next_trust_role").renameTo("trust_role").execute();
  await schema
    .createIndex("trust_parties")
    .on("trust")
    .columns(["trustor_user_id", "trustee_user_id", "project_id", "impersonation", "expires_at"])
    .unique()
    .where(sql<boolean>`deleted_at is null`)
    .execute();
  for (const column of ["trustor_user_id", "trustee_user_id", "project_id", "redelegated_trust_id"])
    await schema.createIndex(`trust_${column}`).on("trust").column(column).execute();
}

/** Users whose passwords are in another directory, and the ids of an LDAP directory's users and groups: for the way back. */
async function createDirectoryTables({ schema }: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("nonlocal_user")
    .addColumn("user_id", types.text, (column) =>
      column.primaryKey().references("user.id").onDelete("cascade"),
    )
    .execute();
  await schema
    .createTable("id_mapping")
    .addColumn("public_id", types.text, (column) => column.primaryKey())
    .addColumn("domain_id", types.text, (column) =>
      column.notNull().references("project.id").onDelete("cascade"),
    )
    .addColumn("local_id", types.text, (column) => column.notNull())
    .addColumn("entity_type", types.text, (column) => column.notNull())
    .execute();
}

/** The imported rows, so that a later import finds what changed there and here since. */
async function createRecord({ schema }: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("imported_row")
    .addColumn("table_name", types.text, (column) => column.notNull())
    // A JSON list of the values of the key.
    .addColumn("row_key", types.text, (column) => column.notNull())
    // Digests of the row there, and of the row that was made of it here.
    .addColumn("source_digest", types.text, (column) => column.notNull())
    .addColumn("row_digest", types.text, (column) => column.notNull())
    // The number of the import that last saw it.
    .addColumn("import_number", types.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("imported_row_pkey", ["table_name", "row_key"])
    .execute();
}
