/** Passkeys of users. Public keys are no secrets: nothing is sealed. */
import type { Migration } from "../platform/database/migrate.js";

export const passkeys: Migration = {
  name: "0047-passkeys",
  async up({ schema }, types) {
    await schema
      .createTable("passkey")
      .addColumn("id", types.text, (column) => column.primaryKey())
      // As authenticators call it, base64url.
      .addColumn("credential_id", types.text, (column) => column.notNull().unique())
      .addColumn("user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addColumn("name", types.text, (column) => column.notNull())
      // COSE_Key.
      .addColumn("public_key", types.bytes, (column) => column.notNull())
      .addColumn("counter", types.moment, (column) => column.notNull())
      // A list in JSON.
      .addColumn("transports", types.text, (column) => column.notNull())
      .addColumn("backup_eligible", types.boolean, (column) => column.notNull())
      .addColumn("backed_up", types.boolean, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .addColumn("last_used_at", types.moment)
      .execute();
    await schema.createIndex("passkey_user").on("passkey").columns(["user_id", "id"]).execute();
  },
};
