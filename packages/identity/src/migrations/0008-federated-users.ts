/** Federated identities of users, and expiring group memberships. */
import type { Migration } from "../platform/database/migrations.js";

export const federatedUsers: Migration = {
  name: "0008-federated-users",
  async up({ schema }, types) {
    await schema
      .createTable("federated_user")
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      .addColumn("unique_id", types.text, (column) => column.notNull())
      .addColumn("user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addPrimaryKeyConstraint("federated_user_pkey", ["idp_id", "protocol_id", "unique_id"])
      .addForeignKeyConstraint(
        "federated_user_protocol",
        ["idp_id", "protocol_id"],
        "protocol",
        ["idp_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
    await schema.createIndex("federated_user_user").on("federated_user").column("user_id").execute();

    // In addition to permanent memberships: a user may have both in a group.
    await schema
      .createTable("federated_group_member")
      .addColumn("group_id", types.text, (column) =>
        column.notNull().references("group.id").onDelete("cascade"),
      )
      .addColumn("user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      // In the past from the start if the groups apply to the login's token only.
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .addPrimaryKeyConstraint("federated_group_member_pkey", ["group_id", "user_id"])
      .execute();
    await schema
      .createIndex("federated_group_member_user")
      .on("federated_group_member")
      .column("user_id")
      .execute();
  },
};
