/** Identity providers, protocols, mappings and service providers. */
import type { Kysely } from "kysely";

import type { ColumnTypes } from "../platform/database/database.js";
import type { Migration } from "../platform/database/migrations.js";

export const federation: Migration = {
  name: "0007-federation",
  async up(database, types) {
    await createIdentityProviders(database, types);
    await createProtocols(database, types);
    await database.schema
      .createTable("mapping")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("rules", types.text, (column) => column.notNull())
      .addColumn("schema_version", types.text, (column) => column.notNull())
      .execute();
    await database.schema
      .createTable("service_provider")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("auth_url", types.text, (column) => column.notNull())
      .addColumn("sp_url", types.text, (column) => column.notNull())
      .addColumn("description", types.text)
      .addColumn("enabled", types.boolean, (column) => column.notNull())
      .addColumn("relay_state_prefix", types.text, (column) => column.notNull())
      .execute();
  },
};

async function createIdentityProviders({ schema }: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("identity_provider")
    .addColumn("id", types.text, (column) => column.primaryKey())
    .addColumn("domain_id", types.text, (column) =>
      column.notNull().references("project.id").onDelete("cascade"),
    )
    .addColumn("enabled", types.boolean, (column) => column.notNull())
    .addColumn("description", types.text)
    .addColumn("authorization_ttl", types.integer)
    .execute();
  await schema.createIndex("identity_provider_domain").on("identity_provider").column("domain_id").execute();
  await schema
    .createTable("identity_provider_remote_id")
    .addColumn("remote_id", types.text, (column) => column.primaryKey())
    .addColumn("idp_id", types.text, (column) =>
      column.notNull().references("identity_provider.id").onDelete("cascade"),
    )
    .addColumn("position", types.integer, (column) => column.notNull())
    .execute();
  await schema
    .createIndex("identity_provider_remote_id_idp")
    .on("identity_provider_remote_id")
    .column("idp_id")
    .execute();
}

async function createProtocols({ schema }: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  await schema
    .createTable("protocol")
    .addColumn("idp_id", types.text, (column) =>
      column.notNull().references("identity_provider.id").onDelete("cascade"),
    )
    .addColumn("id", types.text, (column) => column.notNull())
    // No foreign key: Keystone's clients delete and recreate mappings. Logins fail while the mapping does not exist.
    .addColumn("mapping_id", types.text, (column) => column.notNull())
    .addColumn("remote_id_attribute", types.text)
    .addColumn("settings", types.text)
    .addPrimaryKeyConstraint("protocol_pkey", ["idp_id", "id"])
    .execute();
  await schema
    .createTable("protocol_secret")
    .addColumn("idp_id", types.text, (column) => column.notNull())
    .addColumn("protocol_id", types.text, (column) => column.notNull())
    .addColumn("name", types.text, (column) => column.notNull())
    .addColumn("sealed", types.bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("protocol_secret_pkey", ["idp_id", "protocol_id", "name"])
    .addForeignKeyConstraint(
      "protocol_secret_protocol",
      ["idp_id", "protocol_id"],
      "protocol",
      ["idp_id", "id"],
      (constraint) => constraint.onDelete("cascade"),
    )
    .execute();
}
