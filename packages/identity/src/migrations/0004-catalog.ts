/** Regions, services and endpoints. */
import type { Migration } from "../platform/database/migrate.js";
import { describedTable } from "./described-table.js";

export const catalog: Migration = {
  name: "0004-catalog",
  async up(database, types) {
    const { schema } = database;
    await describedTable(database, types, "region")
      .addColumn("parent_region_id", types.text, (column) =>
        column.references("region.id").onDelete("cascade"),
      )
      .addColumn("description", types.text, (column) => column.notNull())
      .execute();
    await schema.createIndex("region_parent").on("region").column("parent_region_id").execute();
    await describedTable(database, types, "service")
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("name", types.text, (column) => column.notNull())
      .addColumn("enabled", types.boolean, (column) => column.notNull())
      .execute();
    await describedTable(database, types, "endpoint")
      .addColumn("service_id", types.text, (column) =>
        column.notNull().references("service.id").onDelete("cascade"),
      )
      .addColumn("region_id", types.text, (column) => column.references("region.id"))
      .addColumn("interface", types.text, (column) => column.notNull())
      .addColumn("url", types.text, (column) => column.notNull())
      .addColumn("enabled", types.boolean, (column) => column.notNull())
      .execute();
    await schema.createIndex("endpoint_service").on("endpoint").column("service_id").execute();
    await schema.createIndex("endpoint_region").on("endpoint").column("region_id").execute();
  },
};
