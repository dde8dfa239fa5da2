/** The latest rejected logins of each provider, with their reasons, and how many logins there were on each day. */
import type { Migration } from "../platform/database/migrate.js";

export const refusedLogins: Migration = {
  name: "0037-refused-logins",
  async up({ schema }, types) {
    await schema
      .createTable("refused_login")
      // Newest first.
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("idp_id", types.text, (column) =>
        column.notNull().references("identity_provider.id").onDelete("cascade"),
      )
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      .addColumn("request_id", types.text, (column) => column.notNull())
      .addColumn("step", types.text, (column) => column.notNull())
      .addColumn("reason", types.text, (column) => column.notNull())
      // Names, in JSON.
      .addColumn("attributes", types.text, (column) => column.notNull())
      .addColumn("refused_at", types.moment, (column) => column.notNull())
      .execute();
    await schema.createIndex("refused_login_idp_id").on("refused_login").columns(["idp_id", "id"]).execute();
    await schema.createIndex("refused_login_request_id").on("refused_login").column("request_id").execute();
    await schema
      .createTable("login_day")
      .addColumn("idp_id", types.text, (column) =>
        column.notNull().references("identity_provider.id").onDelete("cascade"),
      )
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      // Days since 1970 in UTC.
      .addColumn("day", types.integer, (column) => column.notNull())
      .addColumn("proved", types.integer, (column) => column.notNull())
      .addColumn("refused", types.integer, (column) => column.notNull())
      .addColumn("last_proved_at", types.moment)
      .addColumn("last_refused_at", types.moment)
      .addPrimaryKeyConstraint("login_day_pkey", ["idp_id", "protocol_id", "day"])
      .execute();
  },
};
