/** Registered limits, and the limits of projects and domains that reference them. Deletes cascade. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrations.js";

export const limits: Migration = {
  name: "0006-limits",
  async up({ schema }, types) {
    await schema
      .createTable("registered_limit")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("service_id", types.text, (column) =>
        column.notNull().references("service.id").onDelete("cascade"),
      )
      .addColumn("region_id", types.text, (column) => column.references("region.id").onDelete("cascade"))
      .addColumn("resource_name", types.text, (column) => column.notNull())
      .addColumn("default_limit", types.integer, (column) => column.notNull())
      .addColumn("description", types.text)
      .execute();
    await schema
      .createIndex("registered_limit_key")
      .unique()
      .on("registered_limit")
      .column("service_id")
      .expression(sql`coalesce(region_id, '')`)
      .column("resource_name")
      .execute();
    await schema.createIndex("registered_limit_region").on("registered_limit").column("region_id").execute();

    // The limited domain or, with a project, that project's domain.
    await schema
      .createTable("limit")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("registered_limit_id", types.text, (column) =>
        column.notNull().references("registered_limit.id").onDelete("cascade"),
      )
      .addColumn("domain_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("project_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
      .addColumn("resource_limit", types.integer, (column) => column.notNull())
      .addColumn("description", types.text)
      .execute();
    await schema
      .createIndex("limit_key")
      .unique()
      .on("limit")
      .column("domain_id")
      .expression(sql`coalesce(project_id, '')`)
      .column("registered_limit_id")
      .execute();
    await schema.createIndex("limit_project").on("limit").column("project_id").execute();
    // For the minimum and maximum below a domain.
    await schema
      .createIndex("limit_tree")
      .on("limit")
      .columns(["registered_limit_id", "domain_id", "resource_limit"])
      .execute();
  },
};
