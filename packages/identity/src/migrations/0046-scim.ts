/** Users and groups that identity providers push by SCIM, and the secrets with which they do. */
import type { Migration } from "../platform/database/migrate.js";

export const scim: Migration = {
  name: "0046-scim",
  async up({ schema }, types) {
    // `null` without SCIM.
    await schema.alterTable("identity_provider").addColumn("scim_unique_id", types.text).execute();
    await schema
      .createTable("scim_secret")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("idp_id", types.text, (column) =>
        column.notNull().references("identity_provider.id").onDelete("cascade"),
      )
      .addColumn("description", types.text)
      .addColumn("hash", types.text, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      // Of some use in the last hour of use.
      .addColumn("last_used_at", types.moment)
      .execute();
    await schema.createIndex("scim_secret_idp_id").on("scim_secret").column("idp_id").execute();

    await schema
      .createTable("provisioned_user")
      .addColumn("user_id", types.text, (column) =>
        column.primaryKey().references("user.id").onDelete("cascade"),
      )
      .addColumn("idp_id", types.text, (column) =>
        column.notNull().references("identity_provider.id").onDelete("cascade"),
      )
      // By which logins find the user.
      .addColumn("unique_key", types.text, (column) => column.notNull())
      .addColumn("user_name", types.text, (column) => column.notNull())
      // In lower case.
      .addColumn("user_name_key", types.text, (column) => column.notNull())
      .addColumn("external_id", types.text)
      // JSON.
      .addColumn("attributes", types.text, (column) => column.notNull())
      .addColumn("version", types.integer, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("updated_at", types.moment, (column) => column.notNull())
      .addUniqueConstraint("provisioned_user_unique_key", ["idp_id", "unique_key"])
      .addUniqueConstraint("provisioned_user_user_name", ["idp_id", "user_name_key"])
      .addUniqueConstraint("provisioned_user_external_id", ["idp_id", "external_id"])
      .execute();
    await schema
      .createIndex("provisioned_user_order")
      .on("provisioned_user")
      .columns(["idp_id", "user_id"])
      .execute();

    await schema
      .createTable("provisioned_group")
      .addColumn("group_id", types.text, (column) =>
        column.primaryKey().references("group.id").onDelete("cascade"),
      )
      .addColumn("idp_id", types.text, (column) =>
        column.notNull().references("identity_provider.id").onDelete("cascade"),
      )
      // The name in lower case.
      .addColumn("name_key", types.text, (column) => column.notNull())
      .addColumn("external_id", types.text)
      .addColumn("version", types.integer, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("updated_at", types.moment, (column) => column.notNull())
      .addUniqueConstraint("provisioned_group_name", ["idp_id", "name_key"])
      .addUniqueConstraint("provisioned_group_external_id", ["idp_id", "external_id"])
      .execute();
    await schema
      .createIndex("provisioned_group_order")
      .on("provisioned_group")
      .columns(["idp_id", "group_id"])
      .execute();
  },
};
