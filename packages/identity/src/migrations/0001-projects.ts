/** Domains and projects, in one table: a domain is a project without a domain. */
import type { Migration } from "../platform/database/migrations.js";
import { describedTable, uniqueNames } from "./described-table.js";

export const projects: Migration = {
  name: "0001-projects",
  async up(database, types) {
    const { schema } = database;
    // Deleting a domain deletes its projects.
    await describedTable(database, types, "project")
      .addColumn("domain_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
      .addColumn("parent_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
      .addColumn("is_domain", types.boolean, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("description", types.text)
      .addColumn("enabled", types.boolean, (column) => column.notNull())
      .addColumn("options", types.text, (column) => column.notNull())
      .execute();
    await uniqueNames(database, "project");
    await schema.createIndex("project_parent").on("project").column("parent_id").execute();
    await schema
      .createTable("project_tag")
      .addColumn("project_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("name", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("project_tag_pkey", ["project_id", "name"])
      .execute();
  },
};
