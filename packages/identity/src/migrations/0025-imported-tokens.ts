/** Keys and revocation events of an imported Keystone, and whether its password hashes are kept. */
import type { Migration } from "../platform/database/migrate.js";

export const importedTokens: Migration = {
  name: "0025-imported-tokens",
  async up({ schema }, types) {
    await schema
      .createTable("imported_keys")
      .addColumn("slot", types.integer, (column) => column.primaryKey())
      .addColumn("sealed", types.bytes, (column) => column.notNull())
      .addColumn("auth_methods", types.text, (column) => column.notNull())
      .addColumn("lifetime_ms", types.moment, (column) => column.notNull())
      .addColumn("issued_before", types.moment, (column) => column.notNull())
      .addColumn("position", types.moment, (column) => column.notNull())
      .addColumn("kept_until", types.moment, (column) => column.notNull())
      .execute();
    for (const column of ["trust_id", "access_token_id", "consumer_id"])
      await schema.alterTable("revocation_event").addColumn(column, types.text).execute();
    await schema
      .createTable("unfinished_import")
      .addColumn("slot", types.integer, (column) => column.primaryKey())
      .addColumn("begun_at", types.moment, (column) => column.notNull())
      .execute();
  },
};
