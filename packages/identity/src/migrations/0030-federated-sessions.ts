/** Sessions of federated users at their providers, and logouts there, for protocols with single logout. */
import type { Migration } from "../platform/database/migrate.js";

export const federatedSessions: Migration = {
  name: "0030-federated-sessions",
  async up({ schema }, types) {
    await schema
      .createTable("federated_session")
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      // Digests; `session` is empty where the provider names none.
      .addColumn("subject", types.text, (column) => column.notNull())
      .addColumn("session", types.text, (column) => column.notNull())
      .addColumn("user_id", types.text, (column) => column.notNull())
      .addColumn("audit_chain_id", types.text, (column) => column.notNull().unique())
      .addColumn("sealed_hint", types.text, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .addPrimaryKeyConstraint("federated_session_pkey", [
        "idp_id",
        "protocol_id",
        "subject",
        "session",
        "user_id",
      ])
      .execute();
    await schema
      .createTable("federated_logout")
      .addColumn("idp_id", types.text, (column) => column.notNull())
      .addColumn("protocol_id", types.text, (column) => column.notNull())
      // Empty where the logout names none.
      .addColumn("subject", types.text, (column) => column.notNull())
      .addColumn("session", types.text, (column) => column.notNull())
      .addColumn("issued_at", types.moment, (column) => column.notNull())
      .addColumn("expires_at", types.moment, (column) => column.notNull())
      .addPrimaryKeyConstraint("federated_logout_pkey", ["idp_id", "protocol_id", "subject", "session"])
      .execute();
    await schema
      .createIndex("federated_session_session")
      .on("federated_session")
      .columns(["idp_id", "protocol_id", "session"])
      .execute();
    for (const table of ["federated_session", "federated_logout"])
      await schema.createIndex(`${table}_expires_at`).on(table).column("expires_at").execute();
  },
};
