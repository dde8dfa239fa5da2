/** Failed downloads of what identity providers publish: replicas share them, for the health of providers. */
import type { Migration } from "../platform/database/migrate.js";

export const providerFetches: Migration = {
  name: "0039-provider-fetches",
  async up({ schema }, types) {
    await schema
      .createTable("failed_fetch")
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      .addColumn("reason", types.text, (column) => column.notNull())
      .addColumn("failed_at", types.moment, (column) => column.notNull())
      // Of the first failure since the last good download.
      .addColumn("failing_since", types.moment, (column) => column.notNull())
      .addPrimaryKeyConstraint("failed_fetch_pkey", ["idp_id", "protocol_id", "kind"])
      .addForeignKeyConstraint(
        "failed_fetch_protocol",
        ["idp_id", "protocol_id"],
        "protocol",
        ["idp_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
  },
};
