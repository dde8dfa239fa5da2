/** Pending federated logins and single-use ids, shared by replicas. */
import type { Migration } from "../platform/database/migrations.js";

export const loginRequests: Migration = {
  name: "0009-login-requests",
  async up({ schema }, types) {
    await schema
      .createTable("login_request")
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("id", types.text, (column) => column.notNull())
      .addColumn("data", types.text, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .addPrimaryKeyConstraint("login_request_pkey", ["kind", "id"])
      .execute();
    await schema.createIndex("login_request_expires_at").on("login_request").column("expires_at").execute();
  },
};
