/** The audit trail, the replicas and the counts of logins: what the console's overview shows. */
import type { Migration } from "../platform/database/migrate.js";

export const auditTrail: Migration = {
  name: "0036-audit-trail",
  async up({ schema }, types) {
    await schema
      .createTable("audit_event")
      // Begins with its time: in the order of ids, events are in the order of time.
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("at", types.moment, (column) => column.notNull())
      .addColumn("action", types.text, (column) => column.notNull())
      .addColumn("outcome", types.text, (column) => column.notNull())
      .addColumn("status", types.integer, (column) => column.notNull())
      .addColumn("user_id", types.text)
      .addColumn("request_id", types.text, (column) => column.notNull())
      .addColumn("address", types.text, (column) => column.notNull())
      // JSON: scope, delegation and target.
      .addColumn("details", types.text, (column) => column.notNull())
      .execute();
    for (const column of ["action", "outcome", "user_id", "request_id", "address"])
      await schema.createIndex(`audit_event_${column}`).on("audit_event").columns([column, "id"]).execute();
    await schema
      .createTable("audit_target")
      .addColumn("value", types.text, (column) => column.notNull())
      .addColumn("event_id", types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint("audit_target_pkey", ["value", "event_id"])
      .addForeignKeyConstraint("audit_target_event", ["event_id"], "audit_event", ["id"], (constraint) =>
        constraint.onDelete("cascade"),
      )
      .execute();
    // Deleted with their events.
    await schema.createIndex("audit_target_event_id").on("audit_target").column("event_id").execute();
    await schema
      .createTable("replica")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("host", types.text, (column) => column.notNull())
      .addColumn("worker", types.integer, (column) => column.notNull())
      .addColumn("version", types.text, (column) => column.notNull())
      .addColumn("started_at", types.moment, (column) => column.notNull())
      .addColumn("seen_at", types.moment, (column) => column.notNull())
      .execute();
    await schema
      .createTable("login_count")
      .addColumn("hour", types.moment, (column) => column.notNull())
      .addColumn("outcome", types.text, (column) => column.notNull())
      .addColumn("count", types.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("login_count_pkey", ["hour", "outcome"])
      .execute();
  },
};
