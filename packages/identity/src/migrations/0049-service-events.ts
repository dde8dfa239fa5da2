/** Events that other services and auditors are told of, and how far each receiver is. */
import type { Kysely } from "kysely";

import type { Migration } from "../platform/database/migrate.js";

interface Tables {
  readonly event_sender: { id: number; holder: string | null; held_until: number; numbered_to: number };
}

export const serviceEvents: Migration = {
  name: "0049-service-events",
  async up(tables, types) {
    const { schema } = tables;
    await schema
      .createTable("service_event")
      .addColumn("id", types.text, (column) => column.primaryKey())
      .addColumn("at", types.moment, (column) => column.notNull())
      .addColumn("type", types.text, (column) => column.notNull())
      // JSON.
      .addColumn("record", types.text, (column) => column.notNull())
      .addColumn("written_at", types.moment, (column) => column.notNull())
      .addColumn("ordinal", types.integer, (column) => column.notNull())
      // `null` until it is committed and seen by the process that sends.
      .addColumn("position", types.moment)
      .addUniqueConstraint("service_event_position", ["position"])
      .execute();
    await schema.createIndex("service_event_at").on("service_event").column("at").execute();
    await schema
      .createTable("event_receiver")
      .addColumn("name", types.text, (column) => column.primaryKey())
      .addColumn("position", types.moment, (column) => column.notNull())
      .addColumn("dropped", types.integer, (column) => column.notNull())
      .execute();
    await schema
      .createTable("event_sender")
      .addColumn("id", types.integer, (column) => column.primaryKey())
      .addColumn("holder", types.text)
      .addColumn("held_until", types.moment, (column) => column.notNull())
      // The last position, also of events that were deleted.
      .addColumn("numbered_to", types.moment, (column) => column.notNull())
      .execute();
    // Its only row; without parameters, as in 0043.
    await (tables as Kysely<Tables>)
      .insertInto("event_sender")
      .values((eb) => ({
        id: eb.lit(1),
        holder: eb.lit(null),
        held_until: eb.lit(0),
        numbered_to: eb.lit(0),
      }))
      .execute();
  },
};
