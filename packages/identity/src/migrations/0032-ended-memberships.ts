/** Finds memberships that ended without reading all. */
import type { Migration } from "../platform/database/migrate.js";

export const endedMemberships: Migration = {
  name: "0032-ended-memberships",
  indexes: [
    {
      name: "federated_group_member_expires_at",
      table: "federated_group_member",
      columns: ["expires_at"],
    },
  ],
  up: async () => {},
};
