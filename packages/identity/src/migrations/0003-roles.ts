/** Roles, implied roles and role assignments. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrations.js";
import { describedTable, uniqueNames } from "./described-table.js";

export const roles: Migration = {
  name: "0003-roles",
  async up(database, types) {
    const { schema } = database;
    await describedTable(database, types, "role")
      .addColumn("domain_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("description", types.text)
      .addColumn("options", types.text, (column) => column.notNull())
      .execute();
    await uniqueNames(database, "role");
    await schema
      .createTable("implied_role")
      .addColumn("prior_role_id", types.text, (column) =>
        column.notNull().references("role.id").onDelete("cascade"),
      )
      .addColumn("implied_role_id", types.text, (column) =>
        column.notNull().references("role.id").onDelete("cascade"),
      )
      .addPrimaryKeyConstraint("implied_role_pkey", ["prior_role_id", "implied_role_id"])
      .execute();

    // The actor is a user or a group. The target is a project, a domain, or the system, which has no id.
    await schema
      .createTable("assignment")
      .addColumn("user_id", types.text, (column) => column.references("user.id").onDelete("cascade"))
      .addColumn("group_id", types.text, (column) => column.references("group.id").onDelete("cascade"))
      .addColumn("target_kind", types.text, (column) => column.notNull())
      .addColumn("target_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
      .addColumn("role_id", types.text, (column) =>
        column.notNull().references("role.id").onDelete("cascade"),
      )
      .addColumn("is_inherited", types.boolean, (column) => column.notNull())
      .addCheckConstraint("assignment_actor", sql`(user_id is null) <> (group_id is null)`)
      .addCheckConstraint("assignment_target", sql`(target_kind = 'system') = (target_id is null)`)
      .execute();
    await schema
      .createIndex("assignment_key")
      .unique()
      .on("assignment")
      .expression(sql`coalesce(user_id, group_id)`)
      .column("target_kind")
      .expression(sql`coalesce(target_id, '')`)
      .columns(["role_id", "is_inherited"])
      .execute();
    for (const column of ["user_id", "group_id", "target_id", "role_id"])
      await schema.createIndex(`assignment_${column}`).on("assignment").column(column).execute();
  },
};
