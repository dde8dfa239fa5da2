/** Trusts and the roles that they delegate. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrate.js";

export const trusts: Migration = {
  name: "0023-trusts",
  async up({ schema }, types) {
    await schema
      .createTable("trust")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("trustor_user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addColumn("trustee_user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addColumn("project_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("impersonation", types.boolean, (column) => column.notNull())
      .addColumn("expires_at", types.moment)
      .addColumn("remaining_uses", types.integer)
      .addColumn("redelegation_count", types.integer, (column) => column.notNull())
      .addColumn("redelegated_trust_id", types.text, (column) =>
        column.references("trust.id").onDelete("cascade"),
      )
      .addColumn("deleted_at", types.moment)
      .addColumn("extra", types.text, (column) => column.notNull())
      .execute();
    // As in Keystone, trusts without an expiry may be equal.
    await schema
      .createIndex("trust_parties")
      .on("trust")
      .columns(["trustor_user_id", "trustee_user_id", "project_id", "impersonation", "expires_at"])
      .unique()
      .where(sql<boolean>`deleted_at is null`)
      .execute();
    for (const column of ["trustor_user_id", "trustee_user_id", "project_id", "redelegated_trust_id"])
      await schema.createIndex(`trust_${column}`).on("trust").column(column).execute();
    // Roles stay after their deletion: a trust of a deleted role is not valid.
    await schema
      .createTable("trust_role")
      .addColumn("trust_id", types.text, (column) =>
        column.notNull().references("trust.id").onDelete("cascade"),
      )
      .addColumn("role_id", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("trust_role_pkey", ["trust_id", "role_id"])
      .execute();
  },
};
