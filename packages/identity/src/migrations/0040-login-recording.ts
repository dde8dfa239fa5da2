/** Recorded logins of protocols, to replay new mapping rules against. */
import type { Migration } from "../platform/database/migrate.js";

export const loginRecording: Migration = {
  name: "0040-login-recording",
  async up({ schema }, types) {
    await schema
      .createTable("login_recording")
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      // The names of the attributes, as JSON.
      .addColumn("attributes", types.text, (column) => column.notNull())
      .addColumn("max_logins", types.integer, (column) => column.notNull())
      .addColumn("keep_days", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("login_recording_pkey", ["idp_id", "protocol_id"])
      .addForeignKeyConstraint(
        "login_recording_protocol",
        ["idp_id", "protocol_id"],
        "protocol",
        ["idp_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
    await schema
      .createTable("recorded_login")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      .addColumn("recorded_at", types.moment, (column) => column.notNull())
      .addColumn("sealed", types.bytes, (column) => column.notNull())
      .addForeignKeyConstraint(
        "recorded_login_recording",
        ["idp_id", "protocol_id"],
        "login_recording",
        ["idp_id", "protocol_id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
    await schema
      .createIndex("recorded_login_recorded_at")
      .on("recorded_login")
      .columns(["idp_id", "protocol_id", "recorded_at", "id"])
      .execute();
  },
};
