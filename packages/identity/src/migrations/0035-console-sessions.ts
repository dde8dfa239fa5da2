/** Sessions of browsers in the console. */
import type { Migration } from "../platform/database/migrate.js";

export const consoleSessions: Migration = {
  name: "0035-console-sessions",
  async up({ schema }, types) {
    await schema
      .createTable("console_session")
      // A digest of the cookie.
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("user_id", types.text, (column) => column.notNull())
      // The token, or the receipt of a login that needs further methods.
      .addColumn("sealed", types.text, (column) => column.notNull())
      .addColumn("begun_at", types.moment, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .execute();
    await schema
      .createIndex("console_session_user")
      .on("console_session")
      .columns(["user_id", "begun_at"])
      .execute();
    await schema
      .createIndex("console_session_expires_at")
      .on("console_session")
      .column("expires_at")
      .execute();
  },
};
