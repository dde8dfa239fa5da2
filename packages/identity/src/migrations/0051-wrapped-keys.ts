/** Master keys that Vault or a token has wrapped, and which keys a process has. */
import type { Migration } from "../platform/database/migrate.js";

export const wrappedKeys: Migration = {
  name: "0051-wrapped-keys",
  async up({ schema }, types) {
    await schema
      .createTable("wrapped_key")
      .addColumn("key_id", types.text, (column) => column.primaryKey())
      .addColumn("source", types.text, (column) => column.notNull())
      .addColumn("wrapping_key", types.text, (column) => column.notNull())
      .addColumn("wrapped", types.text, (column) => column.notNull())
      .execute();
    // JSON: ids.
    await schema.alterTable("replica").addColumn("master_keys", types.text).execute();
  },
};
