/** Token signing keys, and revocation events. */
import type { Migration } from "../platform/database/migrations.js";

export const tokens: Migration = {
  name: "0005-tokens",
  async up({ schema }, types) {
    await schema
      .createTable("signing_key")
      .addColumn("number", types.integer, (column) => column.primaryKey())
      .addColumn("sealed", types.bytes, (column) => column.notNull())
      .addColumn("created_at", types.moment, (column) => column.notNull())
      .execute();
    await schema
      .createTable("revocation_event")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("audit_id", types.text)
      .addColumn("audit_chain_id", types.text)
      .addColumn("user_id", types.text)
      .addColumn("project_id", types.text)
      .addColumn("role_id", types.text)
      .addColumn("domain_scope_id", types.text)
      .addColumn("domain_id", types.text)
      .addColumn("expires_at", types.moment)
      .addColumn("issued_before", types.moment, (column) => column.notNull())
      .addColumn("revoked_at", types.moment, (column) => column.notNull())
      .execute();
    await schema
      .createIndex("revocation_event_revoked_at")
      .on("revocation_event")
      .column("revoked_at")
      .execute();
  },
};
