/** Policies, and the endpoints, services and regions that they apply to. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrate.js";
import { describedTable } from "./described-table.js";

export const policies: Migration = {
  name: "0019-policies",
  async up(database, types) {
    const { schema } = database;
    await describedTable(database, types, "policy")
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("blob", types.text, (column) => column.notNull())
      .execute();
    // Of an endpoint, of a service, or of a service in a region.
    await schema
      .createTable("policy_association")
      .addColumn("policy_id", types.text, (column) =>
        column.notNull().references("policy.id").onDelete("cascade"),
      )
      .addColumn("endpoint_id", types.text, (column) => column.references("endpoint.id").onDelete("cascade"))
      .addColumn("service_id", types.text, (column) => column.references("service.id").onDelete("cascade"))
      .addColumn("region_id", types.text, (column) => column.references("region.id").onDelete("cascade"))
      .execute();
    await schema
      .createIndex("policy_association_key")
      .unique()
      .on("policy_association")
      .expression(sql`coalesce(endpoint_id, '')`)
      .expression(sql`coalesce(service_id, '')`)
      .expression(sql`coalesce(region_id, '')`)
      .execute();
    for (const column of ["policy_id", "endpoint_id", "service_id", "region_id"])
      await schema
        .createIndex(`policy_association_${column}`)
        .on("policy_association")
        .column(column)
        .execute();
  },
};
