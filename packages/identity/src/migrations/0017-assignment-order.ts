/** A total order of assignments, for reading long lists in slices. */
import { sql } from "kysely";

import type { Migration } from "../platform/database/migrations.js";

export const assignmentOrder: Migration = {
  name: "0017-assignment-order",
  async up({ schema }) {
    await schema
      .createIndex("assignment_position")
      .unique()
      .on("assignment")
      .expression(
        sql`(target_kind || '/' || coalesce(target_id, '') || '/' || coalesce(user_id, '') || '/' || coalesce(group_id, '') || '/' || role_id || '/' || case when is_inherited then '1' else '0' end)`,
      )
      .execute();
  },
};
