/** Test logins and their results, for ten minutes. */
import type { Migration } from "../platform/database/migrate.js";

export const testLogins: Migration = {
  name: "0038-test-logins",
  async up({ schema }, types) {
    await schema
      .createTable("test_login")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      // Who began it.
      .addColumn("user_id", types.text, (column) => column.notNull())
      // A digest of the secret in the cookie of the browser that may log in; `null` if none may.
      .addColumn("browser", types.text)
      .addColumn("begun_at", types.moment)
      .addColumn("sealed_result", types.text)
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .addForeignKeyConstraint(
        "test_login_protocol",
        ["idp_id", "protocol_id"],
        "protocol",
        ["idp_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
    await schema.createIndex("test_login_expires_at").on("test_login").column("expires_at").execute();
    await schema.createIndex("test_login_user_id").on("test_login").column("user_id").execute();
  },
};
