/** Consumers and tokens of OAuth 1.0a, and when trusts were used up. */
import type { Migration } from "../platform/database/migrate.js";

export const oauth1: Migration = {
  name: "0026-oauth1",
  async up({ schema }, types) {
    await schema
      .createTable("oauth1_consumer")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("description", types.text)
      .addColumn("sealed_secret", types.bytes, (column) => column.notNull())
      .addColumn("extra", types.text, (column) => column.notNull())
      .execute();
    await schema
      .createTable("oauth1_token")
      .addColumn("id", types.text, (column) => column.primaryKey())
      // `request` or `access`.
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("consumer_id", types.text, (column) =>
        column.notNull().references("oauth1_consumer.id").onDelete("cascade"),
      )
      .addColumn("user_id", types.text, (column) => column.references("user.id").onDelete("cascade"))
      .addColumn("project_id", types.text, (column) =>
        column.notNull().references("project.id").onDelete("cascade"),
      )
      .addColumn("role_ids", types.text, (column) => column.notNull())
      .addColumn("verifier", types.text)
      .addColumn("sealed_secret", types.bytes, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .execute();
    for (const column of ["consumer_id", "user_id", "project_id"])
      await schema.createIndex(`oauth1_token_${column}`).on("oauth1_token").column(column).execute();
    // After a while they are deleted.
    await schema.alterTable("trust").addColumn("used_up_at", types.moment).execute();
  },
};
