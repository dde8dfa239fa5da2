/** What identity providers have published: logins go on after a restart while a provider does not answer. */
import type { Migration } from "../platform/database/migrate.js";

export const providerDocuments: Migration = {
  name: "0031-provider-documents",
  async up({ schema }, types) {
    await schema
      .createTable("provider_document")
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      .addColumn("kind", types.text, (column) => column.notNull())
      // A digest of the settings that the document was read by.
      .addColumn("source", types.text, (column) => column.notNull())
      // That of the protocol then.
      .addColumn("refreshed_at", types.moment, (column) => column.notNull())
      .addColumn("read_at", types.moment, (column) => column.notNull())
      .addColumn("content", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("provider_document_pkey", ["idp_id", "protocol_id", "kind"])
      .addForeignKeyConstraint(
        "provider_document_protocol",
        ["idp_id", "protocol_id"],
        "protocol",
        ["idp_id", "id"],
        (constraint) => constraint.onDelete("cascade"),
      )
      .execute();
  },
};
