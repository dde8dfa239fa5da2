/** Credentials of users, and the last time step of one-time codes. */
import type { Migration } from "../platform/database/migrate.js";

export const credentials: Migration = {
  name: "0022-credentials",
  async up({ schema }, types) {
    await schema
      .createTable("credential")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("user_id", types.text, (column) =>
        column.notNull().references("user.id").onDelete("cascade"),
      )
      .addColumn("project_id", types.text, (column) => column.references("project.id").onDelete("cascade"))
      .addColumn("type", types.text, (column) => column.notNull())
      .addColumn("sealed_blob", types.bytes, (column) => column.notNull())
      .addColumn("extra", types.text, (column) => column.notNull())
      // Of the last accepted one-time code: RFC 6238, section 5.2.
      .addColumn("last_step", types.moment)
      .execute();
    await schema.createIndex("credential_user").on("credential").columns(["user_id", "type"]).execute();
    await schema.createIndex("credential_project").on("credential").column("project_id").execute();
  },
};
