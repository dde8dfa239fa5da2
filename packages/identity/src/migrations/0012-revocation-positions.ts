/** Positions of revocation events: commit order instead of clock order. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrations.js";

export const revocationPositions: Migration = {
  name: "0012-revocation-positions",
  async up(queries, types) {
    const { schema } = queries;
    // Null in rows written by processes of the previous release.
    await schema.alterTable("revocation_event").addColumn("position", types.moment).execute();
    await sql`
      update revocation_event set position = numbered.position from (
        select id, row_number() over (order by revoked_at, id) as position from revocation_event
      ) as numbered where numbered.id = revocation_event.id`.execute(queries);
    await schema
      .createIndex("revocation_event_position")
      .unique()
      .on("revocation_event")
      .column("position")
      .execute();
    await schema
      .createTable("revocation_position")
      .addColumn("position", types.moment, (column) => column.notNull())
      .addColumn("pruned_to", types.moment, (column) => column.notNull())
      .execute();
    await sql`
      insert into revocation_position (position, pruned_to)
      select coalesce(max(position), 0), 0 from revocation_event`.execute(queries);
  },
};
