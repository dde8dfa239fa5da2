/** SAML signing keys. */
import type { Migration } from "../platform/database/migrations.js";

export const samlKeys: Migration = {
  name: "0010-saml-keys",
  async up({ schema }, types) {
    await schema
      .createTable("saml_key")
      .addColumn("number", types.integer, (column) => column.primaryKey())
      .addColumn("certificate", types.bytes, (column) => column.notNull())
      .addColumn("sealed", types.bytes, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .execute();
  },
};
