/** Users, passwords, groups and memberships. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrations.js";
import { describedTable } from "./described-table.js";

export const users: Migration = {
  name: "0002-users",
  async up(database, types) {
    const { schema } = database;
    await describedTable(database, types, "user")
      .addColumn("domain_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("enabled", types.boolean, (column) => column.notNull())
      // No foreign key: as in Keystone, the project may not exist.
      .addColumn("default_project_id", types.text)
      .addColumn("options", types.text, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("last_active_at", types.moment)
      .addColumn("failed_logins", types.integer, (column) => column.notNull())
      .addColumn("last_failed_at", types.moment)
      .addColumn("is_federated", types.boolean, (column) => column.notNull())
      .execute();
    // Names of federated users are not unique: they are not used for logins here.
    await schema
      .createIndex("user_name")
      .unique()
      .on("user")
      .columns(["domain_id", "name"])
      .where(sql<boolean>`is_federated = false`)
      .execute();
    await schema.createIndex("user_name_of_any").on("user").columns(["domain_id", "name"]).execute();
    await schema.createIndex("user_default_project").on("user").column("default_project_id").execute();
    // The highest number is the current password; the others are the history.
    await schema
      .createTable("user_password")
      .addColumn("user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addColumn("number", types.integer, (column) => column.notNull())
      .addColumn("hash", types.text, (column) => column.notNull())
      .addColumn("is_self_service", types.boolean, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("expires_at", types.moment)
      .addPrimaryKeyConstraint("user_password_pkey", ["user_id", "number"])
      .execute();

    await describedTable(database, types, "group")
      .addColumn("domain_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("description", types.text)
      .addUniqueConstraint("group_name", ["domain_id", "name"])
      .execute();
    await schema
      .createTable("group_member")
      .addColumn("group_id", types.text, (column) =>
        column.notNull().references("group.id").onDelete("cascade"),
      )
      .addColumn("user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addPrimaryKeyConstraint("group_member_pkey", ["group_id", "user_id"])
      .execute();
    await schema.createIndex("group_member_user").on("group_member").column("user_id").execute();
  },
};
